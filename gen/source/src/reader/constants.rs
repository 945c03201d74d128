//! The constants of `conditions!`, read from the tokens of its calls.
//!
//! Invariants: the result is what the macro makes of the same call; a call that the macro rejects has no constants.

use crd_markers::leaked;
use crd_markers::{Constant, ConstantKind};
use proc_macro2::TokenStream;
use syn::parse::{Parse, ParseStream, Parser};
use syn::{Attribute, Expr, ExprLit, Ident, Lit, LitStr, Meta, Path, Token};

/// The constants of a call in a module.
pub(crate) fn read(module: &str, tokens: TokenStream) -> Vec<Constant> {
    let all = |input: ParseStream<'_>| {
        let mut read = Vec::new();
        while !input.is_empty() {
            read.push(input.call(Declaration::parse)?);
        }
        Ok(read)
    };
    let declarations = all.parse2(tokens).unwrap_or_default();
    let constant = |Declaration { docs, kind, name, go_type, value }| Constant {
        kind,
        name: leaked::text(&name),
        value: leaked::text(&value),
        docs: leaked::text(&docs),
        go_type: go_type.map(|name| leaked::text(&name)),
        module: leaked::text(module),
    };
    declarations.into_iter().map(constant).collect()
}

/// `/// …` `condition NAME: Type = "value";`
struct Declaration {
    docs: String,
    kind: ConstantKind,
    name: String,
    go_type: Option<String>,
    value: String,
}

impl Parse for Declaration {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let docs = input.call(Attribute::parse_outer)?.iter().filter_map(text).collect();
        let kind = input.parse::<Ident>()?;
        let known = ConstantKind::ALL.into_iter().find(|known| kind == known.word());
        let kind = known.ok_or_else(|| syn::Error::new(kind.span(), "not a kind of constants"))?;
        let name = input.parse::<Ident>()?.to_string();
        let go_type = input.parse::<Option<Token![:]>>()?.map(|_| input.call(Path::parse_mod_style)).transpose()?;
        input.parse::<Token![=]>()?;
        let value = input.parse::<LitStr>()?.value();
        input.parse::<Token![;]>()?;
        Ok(Self { docs, kind, name, go_type: go_type.map(|path| joined(&path)), value })
    }
}

fn joined(path: &Path) -> String {
    path.segments.iter().map(|segment| segment.ident.to_string()).collect::<Vec<_>>().join("::")
}

/// The text of a doc comment, with the end of its line.
fn text(attribute: &Attribute) -> Option<String> {
    match &attribute.meta {
        Meta::NameValue(meta) if meta.path.is_ident("doc") => match &meta.value {
            Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) => Some(text.value() + "\n"),
            _ => None,
        },
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::read;

    macro_rules! calls {
        ($($tokens:tt)*) => {
            mod compiled {
                crd_channels::conditions! { $($tokens)* }
            }
            const TEXT: &str = stringify!($($tokens)*);
        };
    }

    calls! {
        /// True once the lamp is lit.
        ///
        /// Since v1.
        condition LAMP_CONDITION_LIT: LampConditionType = "Lit";
        #[doc = " The \"bulb\" is broken."]
        #[allow(dead_code)]
        reason LAMP_REASON_BROKEN: v1::LampConditionReason = "Broken";
        constant LAMP_LABEL = r"lamps.example.com/\name";
    }

    #[test]
    fn constants_are_those_that_the_macro_declares() {
        let tokens = TEXT.parse().unwrap();
        assert_eq!(read(concat!(module_path!(), "::compiled"), tokens), compiled::CONSTANTS);
        assert_eq!(compiled::CONSTANTS[0].description(), "True once the lamp is lit.\n\nSince v1.");
        assert_eq!(compiled::CONSTANTS[1].docs, " The \"bulb\" is broken.\n");
        assert!(read("m", "state LAMP = \"Lit\";".parse().unwrap()).is_empty());
    }
}
