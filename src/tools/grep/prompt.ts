export const prompt = `Searches file contents with ripgrep. Use it instead of grep or rg in a command.

- Escape literal special characters, as in "main\\(" or "args\\[0\\]".
- Returns at most 250 lines or files; offset continues from there.
- Files excluded by ignore files (.gitignore and similar) are left out, unless path names them.`
