//! Session persistence: how requests of one client stay on one backend Pod. Route rules and backend
//! traffic policies embed these types; data planes carry the session in a cookie or a header.

use crd_channels::api;

use crate::v1::{Duration, HeaderName};

/// Keeps requests of one client session on the same backend endpoint by means of a token in a
/// cookie or header, whatever the weights of the backends. Support varies between implementations.
///
/// +lens:drop:path=idleTimeout,since=v1.6.0,reason="no implementation had it, and cookies have no idle timeout"
/// +lens:code:name=sessionName,keeps=true,from={sessionName, cookieConfig},to={cookie, header},since=v1.7.0,reason="a cookie and a header have settings of their own: cookie.name or header.name"
/// +kubebuilder:validation:XValidation:message="AbsoluteTimeout must be specified when cookie lifetimeType is Permanent",rule="!has(self.cookie) || !has(self.cookie.lifetimeType) || self.cookie.lifetimeType != 'Permanent' || has(self.absoluteTimeout)"
/// +kubebuilder:validation:XValidation:message="cookie must be nil if type is not Cookie",rule="!has(self.cookie) || self.type == 'Cookie'"
/// +kubebuilder:validation:XValidation:message="cookie must be specified for Cookie type",rule="self.type != 'Cookie' || has(self.cookie)"
/// +kubebuilder:validation:XValidation:message="header must be nil if type is not Header",rule="!has(self.header) || self.type == 'Header'"
/// +kubebuilder:validation:XValidation:message="header must be specified for Header type",rule="self.type != 'Header' || has(self.header)"
#[api]
pub struct SessionPersistence {
    /// Age at which a session ends no matter how busy it is, for example 8h; the next request
    /// starts a new one and may reach another endpoint. Required for Permanent cookies, which take
    /// their expiry from it, else the object is refused. Otherwise absent means no set limit.
    pub absolute_timeout: Option<Duration>,
    /// Whether the session token travels in a cookie or in a header. Default: Cookie, which
    /// browsers handle on their own and most implementations support. With Header, the client
    /// itself must return the token. The field of the chosen carrier must be set, and only that one.
    ///
    /// +kubebuilder:default=Cookie
    pub r#type: Option<SessionPersistenceType>,
    /// Settings of the cookie. Must be set for type Cookie, if only as an empty object, and left out
    /// for type Header; otherwise the API server refuses the object.
    pub cookie: Option<CookieConfig>,
    /// Settings of the header. Must be set for type Header and left out for type Cookie; otherwise
    /// the API server refuses the object.
    pub header: Option<HeaderConfig>,
}

/// Carrier of the session token between client and data plane. Cookie suits browsers and has the
/// widest support, Header suits clients under your control.
#[api]
pub enum SessionPersistenceType {
    /// The data plane sets a cookie and recognizes the session by it later; browsers need no extra
    /// code.
    ///
    /// +go:name=CookieBasedSessionPersistence
    Cookie,
    /// The token is in a header, which the client has to send again with each request of the
    /// session.
    ///
    /// +go:name=HeaderBasedSessionPersistence
    Header,
}

/// Settings of the cookie that the data plane issues for session persistence. Used only when the
/// persistence type is Cookie; other cookie attributes are up to the implementation.
#[api]
pub struct CookieConfig {
    /// Name of the cookie, with characters that HTTP allows in tokens. Absent: the implementation
    /// picks one. Choose distinct names so that sessions do not clash. Not every implementation can
    /// use a name that is given to it.
    pub name: Option<CookieName>,
    /// Path below which clients return the cookie. Default: /, so that every request of the host
    /// carries it. A longer path keeps sessions of different parts of one host apart.
    ///
    /// +kubebuilder:default="/"
    /// +kubebuilder:validation:MaxLength=1024
    pub path: Option<String>,
    /// Whether the cookie outlives the client's session. Default: Session, a cookie without expiry.
    /// Permanent gives it an expiry taken from absoluteTimeout, which is then required, or the API
    /// server refuses the object. Permanent has extended support only.
    ///
    /// +kubebuilder:default=Session
    pub lifetime_type: Option<CookieLifetimeType>,
}

/// Name of the cookie that carries a session token, 1 to 256 characters that HTTP allows in tokens.
/// It is compared including case.
///
/// +kubebuilder:validation:MinLength=1
/// +kubebuilder:validation:MaxLength=256
/// +kubebuilder:validation:Pattern=`^[A-Za-z0-9!#$%&'*+\-.^_\x60|~]+$`
#[api]
pub struct CookieName(pub String);

/// Settings of the header in which clients return the session token. Used only when the persistence
/// type is Header.
#[api]
pub struct HeaderConfig {
    /// Name of the header, compared without regard to case. Choose one that no other session of the
    /// same clients uses.
    pub name: HeaderName,
}

/// Decides if the persistence cookie carries an expiry time or vanishes when the client ends its
/// session. The age limit in absoluteTimeout, if set, holds for both.
#[api]
pub enum CookieLifetimeType {
    /// The cookie has an expiry, given by absoluteTimeout, and survives a browser restart until
    /// then.
    ///
    /// +go:name=PermanentCookieLifetimeType
    Permanent,
    /// The cookie has no expiry; clients drop it when their session ends, whatever age it has by
    /// then.
    ///
    /// +go:name=SessionCookieLifetimeType
    Session,
}
