//! `header-names`: names of headers are unique regardless of case.
//!
//! Field names of HTTP are not case-sensitive (RFC 9110, section 5.1), and keys of gRPC's metadata neither. The CRDs compare the names of
//! a list letter by letter (Gateway API issue 2277).
//!
//! * In a match, the first of equal names counts and the rest are ignored, so the route takes requests that its author excluded.
//! * A filter has one action for each name: filters with "multiple actions of the same or different type for any one header name are
//!   invalid". So `set`, `add` and `remove` of one modifier are compared with each other too.
//!
//! Other lists of header names (CORS, external authorization) are sets of what is allowed. Repetition changes nothing there.

use crd_webhook::{Change, Objects, Report, Rule};
use gateway_api_types::v1::HTTPHeaderFilter;

use crate::route::Filtered;
use crate::rule::{COSTS, repeated};

pub(crate) const fn rule<T: Filtered>() -> Rule<T> {
    Rule {
        name: "header-names",
        about: "Header names of a match or a filter are unique regardless of case.",
        why: COSTS,
        create: Some(check::<T>),
        update: Some(check::<T>),
    }
}

fn check<T: Filtered>(change: &Change<T>, _: &Objects, report: &mut Report) {
    change.object.each_header_match(&mut |path, names| {
        repeated(names.enumerate().map(|(index, name)| (name, (), index)), |(first, ()), (name, (), index)| {
            report.refuse(
                format!("{path}.headers[{index}].name"),
                format!("the header names `{first}` and `{name}` are the same name, and only the first one counts: remove one of them"),
            );
        });
    });
    change.object.each_filter(&mut |path, filter| {
        for (field, modifier) in filter.modifiers() {
            let names = modifier.into_iter().flat_map(names);
            repeated(names, |(first, list), (name, of, index)| {
                let both = match list == of {
                    true => format!("`{first}` and `{name}` in `{of}`"),
                    false => format!("`{first}` in `{list}` and `{name}` in `{of}`"),
                };
                let name = if of == REMOVE { "" } else { ".name" };
                report.refuse(
                    format!("{path}.{field}.{of}[{index}]{name}"),
                    format!("the header names {both} are the same name, and a filter has one action for each name: remove one of them"),
                );
            });
        }
    });
}

const REMOVE: &str = "remove";

/// The names of a modifier, with their lists.
fn names(modifier: &HTTPHeaderFilter) -> impl Iterator<Item = (&str, &'static str, usize)> {
    let with_values = [("set", &modifier.set), ("add", &modifier.add)];
    let with_values = with_values.into_iter().flat_map(|(list, headers)| {
        let headers = headers.iter().flatten().enumerate();
        headers.map(move |(index, header)| (&*header.name.0.0, list, index))
    });
    let removed = modifier.remove.iter().flatten().enumerate().map(|(index, name)| (&**name, REMOVE, index));
    with_values.chain(removed)
}
