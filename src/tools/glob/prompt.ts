export const prompt = `Finds files by name, newest first.

- pattern is a glob: "**/*.ts", "src/**/*.{js,jsx}", "docs/*.md". "*" matches any part of a name, "**" any folders.
- path is the folder to search; the working directory by default.
- Returns at most 100 files and the number of further ones.
- Files excluded by ignore files (.gitignore and similar) are left out, unless you name such a folder in path or at the start of the pattern.
- To search file contents, use Grep.`
