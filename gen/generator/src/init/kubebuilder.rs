//! The file `PROJECT`, in which kubebuilder and operator-sdk list the resources of a project.

use crd_model::yaml::{self, Problem};
use serde_json::Value;

/// The prefix of the stamps of a project: the group of its first resource, or its domain. `None` if another program wrote the file.
///
/// # Errors
/// The file is not YAML, or has no domain that can be the prefix.
pub fn prefix(text: &str) -> Result<Option<String>, Problem> {
    let problem =
        |line, message: String, help: &str| Problem { code: "init::project", line, message, help: help.to_owned() };
    let documents = yaml::read(text).map_err(|error| problem(error.line, error.message, ""))?;
    let Some(project) = documents.first() else { return Ok(None) };
    let layouts = match &project["layout"] {
        Value::Array(layouts) => layouts.as_slice(),
        layout => std::slice::from_ref(layout),
    };
    let is_go = layouts.iter().filter_map(Value::as_str).any(|layout| layout.starts_with("go.kubebuilder.io/"));
    if !is_go && project["projectName"].is_null() {
        return Ok(None);
    }
    // Those without `api` are types of other projects, whose controllers are here.
    let resources = project["resources"].as_array().into_iter().flatten();
    let first = resources.into_iter().find(|resource| !resource["api"].is_null()).unwrap_or(&Value::Null);
    let text = |value: &Value| value.as_str().filter(|text| !text.is_empty()).map(str::to_owned);
    let domain = text(&first["domain"]).or_else(|| text(&project["domain"]));
    let names = text(&first["group"]).into_iter().chain(domain).collect::<Vec<_>>();
    let prefix = names.join(".");
    let is_name =
        |label: &str| !label.is_empty() && label.bytes().all(|byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'-'));
    match prefix.split('.').all(is_name) {
        true => Ok(Some(prefix)),
        false => Err(problem(
            1,
            format!("`{prefix}` is not a DNS name"),
            "write the domain of the project: `domain: example.com`",
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn prefix_of(text: &str) -> Option<String> {
        prefix(text).unwrap()
    }

    #[test]
    fn the_prefix_is_the_first_group_or_the_domain() {
        let header = "domain: example.com\nlayout:\n- go.kubebuilder.io/v4\n";
        assert_eq!(prefix_of(header).as_deref(), Some("example.com"));
        let resource = |lines: &str| format!("{header}resources:\n{lines}");
        let own = "- api: {crdVersion: v1}\n  domain: example.com\n  group: shop\n  kind: Widget\n";
        assert_eq!(prefix_of(&resource(own)).as_deref(), Some("shop.example.com"));
        // Its types are those of Kubernetes.
        let controlled = "- controller: true\n  domain: k8s.io\n  group: apps\n  kind: Deployment\n";
        assert_eq!(prefix_of(&resource(controlled)).as_deref(), Some("example.com"));
        assert_eq!(prefix_of(&resource(&format!("{controlled}{own}"))).as_deref(), Some("shop.example.com"));
        let without_group = own.replace("  group: shop\n", "");
        assert_eq!(prefix_of(&resource(&without_group)).as_deref(), Some("example.com"));
    }

    #[test]
    fn layouts_are_a_text_or_a_list_and_other_files_are_not_meant() {
        let sdk = "layout: [example.com/helm/v1, go.kubebuilder.io/v4]\nplugins: {manifests.sdk.operatorframework.io/v2: {}}\n";
        assert_eq!(prefix_of(&format!("domain: a.b\n{sdk}")).as_deref(), Some("a.b"));
        assert_eq!(prefix_of("domain: a.b\nlayout: go.kubebuilder.io/v3\n").as_deref(), Some("a.b"));
        assert_eq!(prefix_of("domain: a.b\nprojectName: a\n").as_deref(), Some("a.b"));
        for other in ["", "# Nothing.\n", "Our project\n", "name: a\n", "- a\n", "layout: ansible/v1\n"] {
            assert_eq!(prefix_of(other), None, "{other}");
        }
    }

    #[test]
    fn a_file_that_cannot_be_read_has_a_line() {
        let problem = prefix("domain: a.b\nlayout: [\n").unwrap_err();
        assert!(problem.message.starts_with("this is not YAML") && problem.line >= 2, "{problem:?}");
        for domain in ["", "domain: ''", "domain: \"a: b\"", "domain: A.b"] {
            let problem = prefix(&format!("projectName: a\n{domain}\n")).unwrap_err();
            assert!(problem.message.contains("is not a DNS name"), "{domain}: {problem:?}");
        }
    }
}
