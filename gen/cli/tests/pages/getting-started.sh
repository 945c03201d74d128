# The page begins in a clone of this repository, and asks for a commit before the release.
# before: cargo xtask new
clone
# before: cargo xtask release
git add --all
git commit --quiet --message "The API of Widgets"
