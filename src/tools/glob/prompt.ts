export const prompt = `Finds files by name, newest first; at most 100, and the number of further ones.

- "*" matches any part of a name, "**" any folders.
- Files excluded by ignore files (.gitignore and similar) are left out, unless path or the start of the pattern names their folder.`
