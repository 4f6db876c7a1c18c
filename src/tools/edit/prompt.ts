export const prompt = `Replaces text in a file.

- Read the file first; a part of it is enough. After your own Edit or Write you need not read it again.
- old_string must match the file, with its indentation but without the line numbers that Read shows, and must be unique. If several places match, include more surrounding lines.
- replace_all changes every occurrence, for example to rename something.
- Keep edits small: send the changed lines and enough context to find them. Never write a placeholder such as "... existing code ...": it would delete that code, so the call is refused.
- An empty old_string creates a new file.
- Encoding, line endings and file mode are kept; line endings in old_string and new_string are ignored.`
