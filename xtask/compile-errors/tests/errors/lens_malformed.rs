//! Lenses with wrong operations, arguments and places.

use crd_channels::{ObjectMeta, api};

/// +lens:renam:from=a,to=b,since=v1.1.0
/// +lens:rename:from=a,to=b
/// +lens:rename:from=a,since=v1.1.0
/// +lens:rename:from=b,to=c,since=v1.1
/// +lens:rename:from=c,to=d,since=v1.1.0-rc.1,reason=" "
/// +lens:move:from="d[0].e",to=f..g,since=v1.1.0
/// +lens:scale:from=g,to=h,since=v1.1.0
/// +lens:scale:from=h,to=i,multiply=0,divide=4294967296,since=v1.1.0
/// +lens:scale:from=i,to=j,multiply=1.5,since=v1.1.0
/// +lens:values:values={Old: 1},since=v1.1.0
/// +lens:values:values=Old,nearest={},since=v1.1.0
/// +lens:split:from=j,to={k: k},pattern="(?P<k",template="{k}",since=v1.1.0
/// +lens:join:from=k,to=l,pattern="(?P<l>.*)",template="{l}",since=v1.1.0
/// +lens:drop:path=m,since=v1.1.0
/// +lens:resource:since=v1.1.0
/// +experimental:lens:drop:path=n,reason=unused,since=v1.1.0
#[api]
pub struct Thing {
    /// +lens:rename:from=one.two,since=v1.1.0
    /// +lens:move:from=three,since=v1.1.0
    /// +lens:rename:from=four,to=five,since=v1.1.0
    /// +lens:drop:path=six,reason=unused,since=v1.1.0
    pub one: Option<String>,
}

/// A resource.
///
/// +lens:resource:since=v1.1.0
/// +lens:resource:group=example,kind=old,version=1,since=v1.1.0
#[api(group = "example.com", version = "v1", kind = "Root")]
pub struct Root {
    pub metadata: ObjectMeta,
}

/// +lens:values:values={Old: New},since=v1.1.0
#[api]
pub struct Name(String);

fn main() {}
