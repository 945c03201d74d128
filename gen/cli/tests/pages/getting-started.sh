# The page asks for a commit before the release.
# before: cargo xtask release
git add --all
git commit --quiet --message "The API of Widgets"
