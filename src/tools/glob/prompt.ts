export const prompt = `Finds files by their names, newest first.

- pattern is a glob: "**/*.ts", "src/**/*.{js,jsx}", "docs/*.md". "*" stands for any part of a name, "**" for any folders.
- path is the folder to search; the working folder unless given.
- At most 100 files come back, with a word on how many more there are.
- What ignore files (.gitignore and the like) name is left out, unless you name such a folder in path or at the start of the pattern.
- To search for what stands in files, use Grep.`
