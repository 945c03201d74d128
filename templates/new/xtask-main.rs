use crd_channels_cli::{Catalogue, {% if profile %}Profile, {% endif %}run};

fn main() -> std::process::ExitCode {
{% if calls | length == 1 %}
    let catalogue = Catalogue::new("{{ prefix }}", "{{ version }}");
    run(catalogue{{ calls[0] }})
{% else %}
    let catalogue = Catalogue::new("{{ prefix }}", "{{ version }}")
{% for call in calls %}
        {{ call }}{{ ";" if loop.last else "" }}
{% endfor %}
    run(catalogue)
{% endif %}
}
