//! Files that are left out, and the choice between CRDs of one name.

use super::super::choice::{Choice, Selection};
use super::*;

/// Three variants of one CRD, one that only one set has, and one without variants.
fn variants() -> Vec<Input> {
    let of = |plural: &str, set: &str| {
        let text = thing(plural).replace("  annotations:\n", &format!("  annotations:\n    example.com/set: {set}\n"));
        Input::new(format!("crds/{plural}-{set}.yaml"), text)
    };
    vec![
        of("things", "Default"),
        of("things", "Preview"),
        of("things", "Custom"),
        of("boxes", "Preview"),
        Input::new("crds/shelves.yaml", thing("shelves")),
    ]
}

fn chosen(inputs: Vec<Input>, choice: &Choice) -> Chosen<Published> {
    let inputs = inputs.into_iter().map(|input| input.without(&choice.skips));
    join("crds", inputs.map(|input| read_one(input, &SharedSchemas::default())).collect::<Vec<_>>(), choice)
}

fn choose(inputs: Vec<Input>, choice: &Choice) -> Result<Published, Vec<Diagnostic>> {
    chosen(inputs, choice).kept
}

fn by(selection: &str) -> Choice {
    Choice::new([], [selection.parse::<Selection>().unwrap()])
}

fn files(published: &Published) -> Vec<&str> {
    published.crds.iter().map(|crd| &*crd.origin.file).collect()
}

#[test]
fn an_annotation_chooses_a_variant() {
    let choice = by("annotation=example.com/set:Default");
    let Chosen { kept, used } = chosen(variants(), &choice);
    let published = kept.unwrap();
    assert_eq!(files(&published), ["crds/shelves.yaml", "crds/things-Default.yaml"]);
    assert_eq!(
        published.left_out.iter().map(ToString::to_string).collect::<Vec<_>>(),
        ["things-Preview", "things-Custom", "boxes-Preview"].map(|file| {
            let name = file.split('-').next().unwrap();
            format!("the CRD `{name}.example.com` (crds/{file}.yaml:1, `--select annotation=example.com/set:Default`)")
        })
    );
    assert_eq!(choice.unused(&used), []);
    let published = choose(variants(), &by("annotation=example.com/set:*rev*")).unwrap();
    assert_eq!(files(&published), ["crds/boxes-Preview.yaml", "crds/shelves.yaml", "crds/things-Preview.yaml"]);
}

/// A variant of several sets lists them, and a second annotation chooses further.
#[test]
fn lists_of_values_contain_the_value() {
    let of = |name: &str, annotations: &str| {
        let text = THING.replace("  annotations:\n", &format!("  annotations:\n{annotations}"));
        Input::new(name, text)
    };
    let inputs = || {
        vec![
            of("default.yaml", "    set: Default\n    hosted: 'true'\n"),
            of("previews.yaml", "    set: Custom, Preview\n    hosted: 'true'\n"),
            of("own.yaml", "    set: Custom, Preview\n    own: 'true'\n"),
        ]
    };
    let choose = |selections: &[&str]| {
        let choice = Choice::new([], selections.iter().map(|selection| selection.parse().unwrap()));
        choose(inputs(), &choice).map(|published| files(&published).concat())
    };
    assert_eq!(choose(&["annotation=set:Default"]).unwrap(), "default.yaml");
    assert!(choose(&["annotation=set:Preview"]).is_err());
    assert_eq!(choose(&["annotation=set:Preview", "annotation=own:true"]).unwrap(), "own.yaml");
    assert_eq!(choose(&["annotation=set:Preview", "annotation=hosted:true"]).unwrap(), "previews.yaml");
}

/// One that only one set has stays: only an annotation assigns it to another set.
#[test]
fn a_file_name_chooses_between_variants_only() {
    let published = choose(variants(), &by("file=*-Default.yaml")).unwrap();
    assert_eq!(files(&published), ["crds/boxes-Preview.yaml", "crds/shelves.yaml", "crds/things-Default.yaml"]);
}

#[test]
fn the_error_about_variants_proposes_the_choice() {
    let errors = choose(variants(), &Choice::default()).unwrap_err();
    let fix = "Choose one with `--select annotation=example.com/set:VALUE`; the values are Custom, Default, Preview";
    assert_eq!(errors.len(), 2);
    assert!(errors.iter().all(|error| error.help.as_deref() == Some(fix)), "{errors:?}");
    // Without annotations, by the files.
    let twice = ["a/x-one.yaml", "a/x-two.yaml"].map(|name| Input::new(name, THING)).to_vec();
    let errors = choose(twice, &Choice::default()).unwrap_err();
    assert_eq!(
        errors[0].help.as_deref(),
        Some("Choose one with `--select file=NAME`; the files are x-one.yaml, x-two.yaml")
    );
    // In one file, neither helps.
    let errors = choose(vec![Input::new("x.yaml", format!("{THING}---\n{THING}"))], &Choice::default()).unwrap_err();
    assert_eq!(errors[0].help.as_deref(), Some("Remove one, or name the folder of one bundle only"));
}

#[test]
fn bad_files_can_be_left_out_also_in_archives() {
    let bad = || vec![Input::new("crds/bad.yaml", "a: ["), Input::new("crds/a.yaml", THING)];
    let choice = Choice::new(["bad.yaml".to_owned()], []);
    let published = choose(bad(), &choice).unwrap();
    assert_eq!(
        published.left_out.iter().map(ToString::to_string).collect::<Vec<_>>(),
        ["crds/bad.yaml (`--skip bad.yaml`)"]
    );
    let archive = tar(&[("crds/bad.yaml", b"\0".as_slice()), ("crds/a.yaml", THING.as_bytes())]);
    let Chosen { kept, used } = chosen(vec![Input::new("x.tar", archive)], &choice);
    assert_eq!(kept.unwrap().left_out[0].file, "x.tar!crds/bad.yaml");
    assert_eq!(choice.unused(&used), []);
    // All of them.
    let errors = choose(bad(), &Choice::new(["*.yaml".to_owned()], [])).unwrap_err();
    assert_eq!(
        lines(&errors),
        "crds: no CustomResourceDefinition found; crds/bad.yaml (`--skip *.yaml`) and 1 more is left out. Name a folder, file or \
         archive that holds CRDs as YAML or JSON\n"
    );
}

#[test]
fn what_matches_nothing_is_an_error() {
    let selections = ["file=*-Default.yaml", "annotation=example.com/set:Defualt"].map(|text| text.parse().unwrap());
    let choice = Choice::new(["a.yaml", "boxes-*"].map(str::to_owned), selections);
    let Chosen { kept, used } = chosen(variants(), &choice);
    assert!(kept.is_ok());
    assert_eq!(
        lines(&choice.unused(&used)),
        "`--skip a.yaml` matches no file or CRD. a name is that of a CRD, of a file, or the end of its path, and `*` matches any characters\n\
         `--select annotation=example.com/set:Defualt` matches no CRD\n"
    );
}

/// Both channels may have the same name, so each of them has its variants.
#[test]
fn channels_are_chosen_apart() {
    let experimental = |inputs: Vec<Input>| {
        inputs.into_iter().map(|input| {
            let text = String::from_utf8(input.bytes).unwrap().replace("channel: standard", "channel: experimental");
            Input::new(format!("e/{}", input.name), text)
        })
    };
    let both =
        variants().into_iter().chain(experimental(variants()).filter(|input| !input.name.contains("Custom"))).collect();
    let published = choose(both, &by("file=*-Custom.yaml")).unwrap_err();
    // Experimental has no such file, so nothing is chosen there.
    assert_eq!(published.len(), 1);
    assert!(published[0].message.contains("experimental"), "{published:?}");
}

/// What an option leaves out counts for no limit of errors and of maps.
#[test]
fn what_is_left_out_does_not_use_up_the_limits() {
    let bad = (0..limits::MOST_ERRORS + 5).map(|index| thing(&format!("bad{index}")).replace("served", "server"));
    let text = bad.map(|crd| format!("{crd}---\n")).collect::<String>() + THING;
    let choice = Choice::new(["bad*".to_owned()], []);
    let published = choose(vec![Input::new("x.yaml", text.clone())], &choice).unwrap();
    assert_eq!((files(&published).len(), published.left_out.len()), (1, limits::MOST_ERRORS + 5));
    let errors = choose(vec![Input::new("x.yaml", text)], &Choice::default()).unwrap_err();
    assert_eq!(errors.len(), limits::MOST_ERRORS + 1);
    let map = (0..9_000).map(|key| format!("                a{key}: {{}}\n")).collect::<String>();
    let large = |plural: &str| thing(plural).replace("              size:\n                type: integer\n", &map);
    let text = (0..60).map(|index| format!("{}---\n", large(&format!("large{index}")))).collect::<String>() + THING;
    assert!(choose(vec![Input::new("x.yaml", text.clone())], &Choice::default()).is_err());
    let published = choose(vec![Input::new("x.yaml", text)], &Choice::new(["large*".to_owned()], [])).unwrap();
    assert_eq!(files(&published), ["x.yaml"]);
}

/// Errors behind a CRD that is left out are not errors of that CRD.
#[test]
fn errors_belong_to_their_document() {
    let typo = THING.replace("kind: CustomResourceDefinition", "kind: CustomResourceDefinitions");
    let text = format!("{}---\n{typo}", thing("boxes"));
    let errors = choose(vec![Input::new("x.yaml", text)], &Choice::new(["boxes.example.com".to_owned()], []));
    assert_eq!(errors.unwrap_err()[0].location.crd, None);
}

/// The items of lists in lists are read in their order, and those of each list of CRDs need no kind.
#[test]
fn lists_in_lists_are_read_in_their_order() {
    let item = |plural: &str, indent: &str, head: &str| {
        let text = thing(plural).split_once("metadata").map(|(_, rest)| format!("{head}metadata{rest}")).unwrap();
        let (first, rest) = text.split_once('\n').unwrap();
        let rest = rest.lines().map(|line| format!("{indent}  {line}\n")).collect::<String>();
        format!("{indent}- {first}\n{rest}")
    };
    let head = "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\n";
    let inner = format!(
        "- apiVersion: apiextensions.k8s.io/v1\n  kind: CustomResourceDefinitionList\n  items:\n{}{}",
        item("boxes", "  ", ""),
        item("cups", "  ", "")
    );
    let text =
        format!("apiVersion: v1\nkind: List\nitems:\n{}{inner}{}", item("ants", "", head), item("dogs", "", head));
    let read = |skip: &str| {
        let choice = Choice::new([skip.to_owned()], []);
        let published = choose(vec![Input::new("x.yaml", text.clone())], &choice).unwrap();
        published.crds.iter().map(|crd| crd.crd.name.to_string()).collect::<Vec<_>>()
    };
    assert_eq!(read("x"), ["ants", "boxes", "cups", "dogs"].map(|name| format!("{name}.example.com")));
    assert_eq!(read("boxes.*"), ["ants", "cups", "dogs"].map(|name| format!("{name}.example.com")));
}
