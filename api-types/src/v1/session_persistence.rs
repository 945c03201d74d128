//! Session persistence: how requests of one client stay on one backend Pod. Route rules and backend
//! traffic policies embed these types; data planes carry the session in a cookie or a header.

use crd_channels::api;

use crate::v1::Duration;

/// Keeps requests of one client session on the same backend endpoint by means of a token in a
/// cookie or header, whatever the weights of the backends. Support varies between implementations.
///
/// +lens:drop:path=idleTimeout,since=v1.6.0,reason="no implementation had it, and cookies have no idle timeout"
/// +kubebuilder:validation:XValidation:message="AbsoluteTimeout must be specified when cookie lifetimeType is Permanent",rule="!has(self.cookieConfig) || !has(self.cookieConfig.lifetimeType) || self.cookieConfig.lifetimeType != 'Permanent' || has(self.absoluteTimeout)"
/// +kubebuilder:validation:XValidation:message="cookieConfig can only be set with type Cookie",rule="!has(self.cookieConfig) || self.type == 'Cookie'"
#[api]
pub struct SessionPersistence {
    /// Name of the cookie or header that carries the session token, up to 128 characters. Absent:
    /// the implementation picks one. Choose distinct names so that sessions do not clash. Not every
    /// implementation can use a name that is given to it.
    ///
    /// +kubebuilder:validation:MaxLength=128
    pub session_name: Option<String>,
    /// Age at which a session ends no matter how busy it is, for example 8h; the next request
    /// starts a new one and may reach another endpoint. Required for Permanent cookies, which take
    /// their expiry from it, else the object is refused. Otherwise absent means no set limit.
    pub absolute_timeout: Option<Duration>,
    /// Whether the session token travels in a cookie or in a header. Default: Cookie, which
    /// browsers handle on their own and most implementations support. With Header, the client
    /// itself must return the token, and cookieConfig is not allowed.
    ///
    /// +kubebuilder:default=Cookie
    pub r#type: Option<SessionPersistenceType>,
    /// Extra settings for cookie sessions, allowed only with type Cookie; otherwise the API server
    /// refuses the object. Absent: a cookie without expiry, which lives as long as the client's own
    /// session, in a browser usually until it is closed.
    pub cookie_config: Option<CookieConfig>,
}

/// Carrier of the session token between client and data plane. Cookie suits browsers and has the
/// widest support, Header suits clients under your control.
#[api]
pub enum SessionPersistenceType {
    /// The data plane sets a cookie and recognizes the session by it later; browsers need no extra
    /// code.
    Cookie,
    /// The token is in a header, which the client has to send again with each request of the
    /// session.
    Header,
}

/// Settings of the cookie that the data plane issues for session persistence. Used only when the
/// persistence type is Cookie; other cookie attributes are up to the implementation.
#[api]
pub struct CookieConfig {
    /// Whether the cookie outlives the client's session. Default: Session, a cookie without expiry.
    /// Permanent gives it an expiry taken from absoluteTimeout, which is then required, or the API
    /// server refuses the object. Permanent has extended support only.
    ///
    /// +kubebuilder:default=Session
    pub lifetime_type: Option<CookieLifetimeType>,
}

/// Decides if the persistence cookie carries an expiry time or vanishes when the client ends its
/// session. The age limit in absoluteTimeout, if set, holds for both.
#[api]
pub enum CookieLifetimeType {
    /// The cookie has an expiry, given by absoluteTimeout, and survives a browser restart until
    /// then.
    Permanent,
    /// The cookie has no expiry; clients drop it when their session ends, whatever age it has by
    /// then.
    Session,
}
