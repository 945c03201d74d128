# In a repository of its own, where sources.md continues.
# before: crd-channels gate config/crd
workspace=$PWD gated=$(mktemp -d)
cd "$gated"
git init --quiet
mkdir -p config/crd
lamp 10 >config/crd/lamps.yaml
git add config
git commit --quiet --message lamps
lamp 20 >config/crd/lamps.yaml
# before: crd-channels gate config/crd --base origin/main --format markdown
git update-ref refs/remotes/origin/main HEAD
# before: gh pr comment
NUMBER=1
gh() { [ "$1 $2" = "pr comment" ] && grep --quiet '^#' "${@: -1}"; }
