export const prompt = `Searches what stands in files, with ripgrep.

- pattern is a regular expression as ripgrep reads them: "log.*Error", "function\\s+\\w+". Put a backslash before characters that are meant as themselves, as in "main\\(" or "args\\[0\\]".
- output_mode: "files_with_matches" lists files, newest first (unless given); "content" shows the lines, with numbers; "count" tells how many lines fit in each file.
- Narrow it with path, with glob ("*.tsx", "!**/test/**") or with type ("js", "py", "rust").
- -A, -B and -C show lines after, before and around each match, with output_mode "content".
- multiline: true lets a match go over several lines, and "." stand for a line end.
- At most 250 lines or files come back; head_limit changes that (0 for all), offset goes on from there.
- What ignore files (.gitignore and the like) name is left out, unless path names it.
- Use this, not grep or rg in a command.`
