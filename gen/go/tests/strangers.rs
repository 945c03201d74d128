//! Go of other projects gives no diagnostic. Skipped where the module cache does not have it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::Instant;

use crd_go::{Project, types};
use crd_markers::descriptor::{ResourceDescriptor, Shape, TypeDescriptor, TypeRef};

use crate::project::{Disk, lines};

/// The folder of a module in the module cache.
fn module(name: &str) -> Option<PathBuf> {
    let cache = std::env::var_os("GOMODCACHE").map(PathBuf::from);
    let cache = cache.or_else(|| Some(PathBuf::from(std::env::var_os("HOME")?).join("go/pkg/mod")))?;
    let folder = cache.join(name);
    if !folder.exists() {
        eprintln!("skipped: {name} is not in the module cache");
        return None;
    }
    Some(folder)
}

/// Every type with the marker of a root type, as a resource.
fn roots(folder: &Path, found: &mut Vec<ResourceDescriptor>) {
    let mut texts = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
        let name = entry.file_name().unwrap().to_string_lossy().into_owned();
        if entry.is_dir() {
            let is_left_out = matches!(name.as_str(), "vendor" | "testdata") || name.starts_with(['_', '.']);
            if !is_left_out && !entry.join("go.mod").exists() {
                roots(&entry, found);
            }
        } else if name.ends_with(".go") && !name.ends_with("_test.go") && !name.starts_with("zz_") {
            texts.push(String::from_utf8_lossy(&std::fs::read(&entry).unwrap()).into_owned());
        }
    }
    let leak = |text: &str| &*String::leak(text.to_owned());
    let value = |name: &str| {
        let lines = texts.iter().flat_map(|text| text.lines());
        lines.filter_map(|line| line.trim().strip_prefix("//")?.trim().strip_prefix(name)).next().map(leak)
    };
    let package = texts.iter().flat_map(|text| text.lines()).find_map(|line| line.strip_prefix("package "));
    let (Some(group), Some(package)) = (value("+groupName="), package) else { return };
    let version = value("+versionName=").unwrap_or(leak(package.trim()));
    for text in &texts {
        let mut is_root = false;
        for line in text.lines() {
            is_root |= ["// +kubebuilder:object:root=true", "// +genclient"].contains(&line.trim());
            if let Some(name) = line.strip_prefix("type ").and_then(|rest| rest.split([' ', '[']).next()) {
                let kind = leak(name);
                let is_struct = line.contains("struct");
                found.extend((is_root && is_struct).then_some(ResourceDescriptor {
                    group,
                    version,
                    kind,
                    plural: kind,
                }));
                is_root = false;
            }
        }
    }
}

fn count(reference: &TypeRef, seen: &mut BTreeSet<String>, fields: &mut usize) {
    match reference {
        TypeRef::List(items) => count(items, seen, fields),
        TypeRef::Map(_, values) => count(values, seen, fields),
        TypeRef::Named(named) => walk(named.get(), seen, fields),
        _ => {}
    }
}

fn walk(of: &'static TypeDescriptor, seen: &mut BTreeSet<String>, fields: &mut usize) {
    if !seen.insert(format!("{}.{}", of.module, of.name)) {
        return;
    }
    match of.shape {
        Shape::Struct(all) => {
            *fields += all.len();
            all.iter().for_each(|field| count(&field.kind, seen, fields));
        }
        Shape::Newtype(reference) => count(&reference, seen, fields),
        _ => {}
    }
}

fn read(name: &str, packages: &str, tags: bool) -> Option<(usize, Vec<String>)> {
    let folder = module(name)?;
    let mut wanted = Vec::new();
    let below = packages.trim_start_matches("./").trim_end_matches("...").trim_end_matches('/');
    roots(&folder.join(below), &mut wanted);
    let start = Instant::now();
    let read = types(&Project { root: &folder, packages, gates: &BTreeMap::new(), tags, files: &Disk }, &wanted);
    let time = start.elapsed();
    let (mut seen, mut fields) = (BTreeSet::new(), 0);
    let errors = match read {
        Ok(read) => {
            read.roots.iter().for_each(|root| walk(root, &mut seen, &mut fields));
            Vec::new()
        }
        Err(errors) => lines(&errors),
    };
    eprintln!("{name} {packages}: {} roots, {} types, {fields} fields, {time:?}", wanted.len(), seen.len());
    Some((fields, errors))
}

#[test]
fn strangers_give_no_diagnostic() {
    let mut all = Vec::new();
    for (name, packages) in [
        ("sigs.k8s.io/gateway-api@v1.7.0", "./..."),
        ("sigs.k8s.io/gateway-api@v1.7.0", "./apis/..."),
        ("sigs.k8s.io/gateway-api@v1.6.3", "./..."),
        ("sigs.k8s.io/gateway-api@v1.5.1", "./..."),
        ("sigs.k8s.io/gateway-api@v1.4.1", "./..."),
        ("k8s.io/api@v0.37.1", "./..."),
        ("k8s.io/apimachinery@v0.37.1", "./..."),
        ("k8s.io/apiextensions-apiserver@v0.37.1", "./..."),
        ("k8s.io/kubernetes@v1.36.3", "./pkg/apis/..."),
        ("sigs.k8s.io/controller-runtime@v0.25.2", "./..."),
        ("sigs.k8s.io/controller-tools@v0.23.0", "./..."),
    ] {
        if let Some((_, errors)) = read(name, packages, false) {
            // Kubernetes has gates that no setting maps.
            all.extend(errors.into_iter().filter(|error| !error.contains(" go::gate ")));
        }
    }
    assert!(all.is_empty(), "{}", all.join("\n"));
}

#[test]
fn gateway_api_with_tags() {
    for name in ["v1.4.1", "v1.5.1", "v1.6.3", "v1.7.0"] {
        let Some((fields, errors)) = read(&format!("sigs.k8s.io/gateway-api@{name}"), "./...", true) else {
            continue;
        };
        assert!(errors.is_empty(), "{}", errors.join("\n"));
        assert!(fields > 300);
    }
}
