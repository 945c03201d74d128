//! The types that paths in annotated types mean.
//!
//! Invariant: a type is equal to another exactly if the compiler has them as one type.

use crd_syntax::limits;
use crd_syntax::tree::Kind;
use proc_macro2::TokenStream;
use syn::parse::{ParseStream, Parser};
use syn::spanned::Spanned;
use syn::{GenericArgument, GenericParam, Generics, Path, PathArguments, Token, Type};

use crate::reader::lookup::{ALL_STEPS, Names, Namespace, PRIMITIVES, Target, Usage};
use crate::reader::model::{ItemId, ModuleId, Refusal};

/// A type in a schema.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ty {
    /// `String`
    String,
    /// `bool`
    Boolean,
    /// An integer type, by its name.
    Integer(&'static str),
    /// `f32` or `f64`.
    Float(&'static str),
    /// `Option`
    Option(Box<Ty>),
    /// `Box`
    Boxed(Box<Ty>),
    /// `Vec`
    List(Box<Ty>),
    /// A map, by its keys and values.
    Map(Box<Ty>, Box<Ty>),
    /// A type of crd-channels, by its name.
    Base(&'static str),
    /// A type with `#[api]`.
    Api(ItemId),
    /// An instance of a generic type, by its place in `instances(…)`.
    Instance(ItemId, usize),
}

impl Ty {
    /// How many types it has in it.
    fn parts(&self) -> usize {
        match self {
            Ty::Option(inner) | Ty::Boxed(inner) | Ty::List(inner) => 1 + inner.parts(),
            Ty::Map(key, value) => 1 + key.parts() + value.parts(),
            _ => 1,
        }
    }
}

/// Types of crd-channels that fields can have.
const BASE: [&str; 12] = [
    "AnyJson",
    "Bytes",
    "Condition",
    "ConditionStatus",
    "Duration",
    "IntOrString",
    "LabelSelector",
    "LabelSelectorRequirement",
    "ObjectMeta",
    "Quantity",
    "RawExtension",
    "Time",
];

/// How many aliases and instances can be in each other.
const DEPTH: usize = 64;
/// How many types one type can lead to through aliases and instances.
const MOST_PARTS: usize = 2_000;

/// Where a type is written.
pub(crate) struct Scope<'a> {
    pub(crate) module: ModuleId,
    /// `Self`.
    pub(crate) owner: Option<&'a Ty>,
    /// The type parameters of an alias.
    parameters: &'a [(String, Ty)],
    /// Instances whose arguments are being resolved.
    busy: Vec<(ItemId, usize)>,
    depth: usize,
}

impl<'a> Scope<'a> {
    pub(crate) fn new(module: ModuleId, owner: Option<&'a Ty>) -> Self {
        Scope { module, owner, parameters: &[], busy: Vec::new(), depth: 0 }
    }
}

impl Names {
    /// Counts types to which the type that is being resolved leads. Whether there are not too many.
    fn takes(&self, parts: usize) -> bool {
        self.parts.set(self.parts.get() + parts);
        self.all_steps.set(self.all_steps.get().saturating_add(parts));
        self.parts.get() <= MOST_PARTS && self.all_steps.get() <= ALL_STEPS
    }

    /// Counts a type that is resolved, from the outermost on. Whether there are not too many.
    fn begins(&self, scope: &Scope<'_>) -> bool {
        if scope.depth == 0 {
            self.parts.set(0);
        }
        self.takes(1)
    }

    /// The type that is written in a module.
    pub(crate) fn ty(&self, scope: &Scope<'_>, kind: &Type) -> Result<Ty, Refusal> {
        match kind {
            Type::Group(group) => self.ty(scope, &group.elem),
            Type::Paren(paren) => self.ty(scope, &paren.elem),
            Type::Path(path) if path.qself.is_none() => self.ty_of_path(scope, &path.path),
            _ => Err(self.model.refusal(scope.module, kind.span(), "only the paths of types are supported")),
        }
    }

    pub(crate) fn ty_of_path(&self, scope: &Scope<'_>, path: &Path) -> Result<Ty, Refusal> {
        let refuse = |message: String| self.model.refusal(scope.module, path.span(), message);
        if !self.begins(scope) {
            return Err(refuse(format!("this type leads to more than {MOST_PARTS} other types")));
        }
        let text = || path.segments.iter().map(|part| part.ident.to_string()).collect::<Vec<_>>().join("::");
        let mut words: Vec<String> = path.segments.iter().map(|part| crd_syntax::ast::plain(&part.ident)).collect();
        let before = path.segments.iter().take(words.len().saturating_sub(1));
        if before.into_iter().any(|part| !matches!(part.arguments, PathArguments::None)) {
            return Err(refuse(format!("`{}` has arguments before its end", text())));
        }
        let arguments = || {
            let last = path.segments.last().map(|part| &part.arguments);
            self.arguments(scope, last.unwrap_or(&PathArguments::None))
                .ok_or_else(|| refuse(format!("only types are supported as arguments of `{}`", text())))?
        };
        let is_short = words.len() == 1 && path.leading_colon.is_none();
        if is_short && let Some((_, ty)) = scope.parameters.iter().find(|(name, _)| *name == words[0]) {
            self.takes(ty.parts());
            return Ok(ty.clone());
        }
        if path.leading_colon.is_none() && scope.parameters.iter().any(|(name, _)| *name == words[0]) {
            return Err(refuse(format!("`{}` is an item of a type parameter", text())));
        }
        if words[0] == "Self" {
            let owner = scope.owner.filter(|_| is_short).cloned();
            return owner.ok_or_else(|| refuse("`Self` is not supported here".to_owned()));
        }
        if path.leading_colon.is_some() {
            words.insert(0, String::new());
        }
        let mut target = self.path(scope.module, &words, Namespace::Type, Usage::Late)?.map(|found| found.target);
        // A module does not hide a primitive type.
        let is_module = match &target {
            Some(Target::Module(_)) => true,
            Some(Target::Std(path)) => path.len() == 1,
            _ => false,
        };
        if is_short && is_module && PRIMITIVES.contains(&words[0].as_str()) {
            target = Some(Target::Std(vec!["primitive".to_owned(), words[0].clone()]));
        }
        let foreign = |krate: &str| self.foreign(scope, path, krate);
        let none = |ty: Ty| match arguments()?.len() {
            0 => Ok(ty),
            _ => Err(refuse(format!("`{}` has no arguments", text()))),
        };
        match target {
            None => Err(refuse(format!("`{}` was not found", text()))),
            Some(Target::Std(path)) => {
                let std = || path.iter().map(String::as_str).collect::<Vec<_>>();
                builtin(&std(), arguments()?).ok_or_else(|| foreign("std"))
            }
            Some(Target::Channels(path)) => {
                let name = path.strip_prefix(&["base".to_owned()][..]).unwrap_or(&path);
                let base = BASE.iter().find(|base| name == [**base]);
                base.map_or_else(|| Err(foreign("crd_channels")), |base| none(Ty::Base(base)))
            }
            Some(Target::Instance(item, index)) => none(Ty::Instance(item, index)),
            Some(Target::Item(item)) => self.ty_of_item(scope, item, &arguments, &refuse, &text()),
            Some(Target::Foreign(krate)) => Err(foreign(&krate)),
            Some(Target::Module(_)) => Err(refuse(format!("`{}` is a module", text()))),
        }
    }

    /// The refusal of a type of this crate, with what to write instead.
    fn foreign(&self, scope: &Scope<'_>, path: &Path, krate: &str) -> Refusal {
        let words = path.segments.iter().map(|part| crd_syntax::ast::plain(&part.ident)).collect::<Vec<_>>();
        let text = words.join("::");
        match words.last().and_then(|name| crd_syntax::ast::instead_of(&krate.replace('-', "_"), name)) {
            Some(instead) => {
                let message = format!("`{text}` is not supported: write {instead}");
                self.model.fault(scope.module, path.span(), message)
            }
            None => {
                let message = format!(
                    "`{text}` is a type of another crate: write a type with `#[api]`, or, if it implements schemars' `JsonSchema`, `#[api(foreign)]` above the field"
                );
                self.model.refusal(scope.module, path.span(), message)
            }
        }
    }

    fn ty_of_item(
        &self,
        scope: &Scope<'_>,
        id: ItemId,
        arguments: &dyn Fn() -> Result<Vec<Ty>, Refusal>,
        refuse: &dyn Fn(String) -> Refusal,
        text: &str,
    ) -> Result<Ty, Refusal> {
        let item = &self.model.items[id.0];
        if scope.depth > DEPTH {
            return Err(refuse(format!("`{text}` leads through too many aliases")));
        }
        if item.tree.kind == Kind::Alias {
            // It is parsed again.
            self.takes(4);
            let tokens: TokenStream = item.tree.body.iter().cloned().collect();
            let parsed = limits::parsed(tokens.clone()).and_then(|()| alias.parse2(tokens));
            let Ok((generics, kind)) = parsed else {
                return Err(self.model.refusal(item.module, item.span(), "the reader does not support this alias"));
            };
            let parameters = self.parameters(scope, item.module, &generics, arguments()?);
            let Some(parameters) = parameters.transpose()? else {
                return Err(refuse(format!("the arguments of `{text}` do not fit its parameters")));
            };
            let depth = scope.depth + 1;
            let inner =
                Scope { module: item.module, owner: None, parameters: &parameters, busy: scope.busy.clone(), depth };
            return self.ty(&inner, &kind);
        }
        if item.api.is_none() || item.tree.kind == Kind::Trait {
            let message = format!("`{text}` has no `#[api]`: write it above the type");
            let refusal = self.model.refusal(item.module, item.span(), message);
            return Err(Refusal { is_wrong: !self.model.has_impl("Typed"), ..refusal });
        }
        if !item.is_generic() {
            return match arguments()?.len() {
                0 => Ok(Ty::Api(id)),
                _ => Err(refuse(format!("`{text}` has no arguments"))),
            };
        }
        let wanted = arguments()?;
        let mut failed = None;
        for (index, instance) in item.instances.iter().enumerate() {
            if scope.busy.contains(&(id, index)) {
                continue;
            }
            self.takes(scope.busy.len());
            match self.arguments_of_instance(scope, id, index, instance) {
                Ok(arguments) if arguments == wanted => return Ok(Ty::Instance(id, index)),
                Ok(_) => {}
                // It is about the type, not about this instance.
                Err(refusal) if self.parts.get() > MOST_PARTS => return Err(refusal),
                Err(refusal) => failed = Some(refusal),
            }
        }
        Err(failed.unwrap_or_else(|| refuse(format!("`{text}` with these arguments is not in `instances(…)`"))))
    }

    /// The arguments that the type itself has in `Name = Type<Argument>`.
    fn arguments_of_instance(
        &self,
        scope: &Scope<'_>,
        id: ItemId,
        index: usize,
        kind: &Path,
    ) -> Result<Vec<Ty>, Refusal> {
        let module = self.model.items[id.0].module;
        let busy = scope.busy.iter().copied().chain([(id, index)]).collect();
        let inner = Scope { module, owner: None, parameters: &[], busy, depth: scope.depth + 1 };
        let refuse = || self.model.refusal(module, kind.span(), "the reader does not support this instance");
        let words: Vec<String> = kind.segments.iter().map(|part| crd_syntax::ast::plain(&part.ident)).collect();
        let target = self.path(module, &words, Namespace::Type, Usage::Late)?.map(|found| found.target);
        let last = kind.segments.last().filter(|_| target == Some(Target::Item(id)) && kind.leading_colon.is_none());
        self.arguments(&inner, last.map(|last| &last.arguments).ok_or_else(refuse)?).ok_or_else(refuse)?
    }

    /// The types in angle brackets; `None`: there is something else in them.
    fn arguments(&self, scope: &Scope<'_>, arguments: &PathArguments) -> Option<Result<Vec<Ty>, Refusal>> {
        let list = match arguments {
            PathArguments::None => return Some(Ok(Vec::new())),
            PathArguments::AngleBracketed(list) => &list.args,
            PathArguments::Parenthesized(_) => return None,
        };
        let types = list.iter().map(|argument| match argument {
            GenericArgument::Type(kind) => Some(kind),
            _ => None,
        });
        let types: Option<Vec<&Type>> = types.collect();
        Some(types?.into_iter().map(|kind| self.ty(scope, kind)).collect())
    }

    /// The parameters of an alias with their arguments or defaults; `None`: they do not fit.
    fn parameters(
        &self,
        scope: &Scope<'_>,
        module: ModuleId,
        generics: &Generics,
        arguments: Vec<Ty>,
    ) -> Option<Result<Vec<(String, Ty)>, Refusal>> {
        if arguments.len() > generics.params.len() {
            return None;
        }
        let mut parameters = Vec::new();
        let mut arguments = arguments.into_iter();
        for parameter in &generics.params {
            let GenericParam::Type(parameter) = parameter else { return None };
            let ty = match (arguments.next(), &parameter.default) {
                (Some(ty), _) => ty,
                (None, Some((_, default))) => {
                    let depth = scope.depth + 1;
                    let inner = Scope { module, owner: None, parameters: &parameters, busy: scope.busy.clone(), depth };
                    match self.ty(&inner, default) {
                        Ok(ty) => ty,
                        Err(refusal) => return Some(Err(refusal)),
                    }
                }
                (None, None) => return None,
            };
            parameters.push((crd_syntax::ast::plain(&parameter.ident), ty));
        }
        Some(Ok(parameters))
    }
}

/// `type Name<…> = …;`
fn alias(input: ParseStream<'_>) -> syn::Result<(Generics, Type)> {
    input.parse::<Token![type]>()?;
    input.parse::<proc_macro2::Ident>()?;
    let generics: Generics = input.parse()?;
    input.parse::<Token![=]>()?;
    let kind: Type = input.parse()?;
    input.parse::<Token![;]>()?;
    Ok((generics, kind))
}

/// A type of the standard library with its arguments.
fn builtin(path: &[&str], mut arguments: Vec<Ty>) -> Option<Ty> {
    let path = match path {
        ["prelude", _, name] => {
            crate::reader::lookup::PRELUDE.iter().find(|(known, _)| known == name).map(|(_, path)| &path[..])?
        }
        path => path,
    };
    let last = arguments.pop().map(Box::new);
    match (path, arguments.len(), last) {
        (["string", "String"], 0, None) => Some(Ty::String),
        (["option", "Option"], 0, Some(inner)) => Some(Ty::Option(inner)),
        (["boxed", "Box"], 0, Some(inner)) => Some(Ty::Boxed(inner)),
        (["vec", "Vec"], 0, Some(inner)) => Some(Ty::List(inner)),
        (["collections", "BTreeMap"] | ["collections", "btree_map", "BTreeMap"], 1, Some(value)) => {
            Some(Ty::Map(Box::new(arguments.pop()?), value))
        }
        (["primitive", name], 0, None) => {
            let name = PRIMITIVES.into_iter().find(|primitive| primitive == name)?;
            match name {
                "bool" => Some(Ty::Boolean),
                "f32" | "f64" => Some(Ty::Float(name)),
                "char" | "str" | "i128" | "u128" => None,
                integer => Some(Ty::Integer(integer)),
            }
        }
        _ => None,
    }
}
