export const prompt = `Searches file contents with ripgrep.

- pattern is a regular expression in ripgrep syntax: "log.*Error", "function\\s+\\w+". Escape literal special characters with a backslash, as in "main\\(" or "args\\[0\\]".
- output_mode: "files_with_matches" (default) lists files, newest first; "content" shows the matching lines with numbers; "count" shows the number of matching lines in each file.
- Narrow it with path, with glob ("*.tsx", "!**/test/**") or with type ("js", "py", "rust").
- -A, -B and -C show lines after, before and around each match, with output_mode "content".
- multiline: true lets a match span several lines, and "." match a newline.
- Returns at most 250 lines or files; head_limit changes that (0 for all), offset continues from there.
- Files excluded by ignore files (.gitignore and similar) are left out, unless path names them.
- Use this instead of grep or rg in a command.`
