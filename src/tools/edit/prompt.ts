export const prompt = `Replaces text in a file.

- Read the file first; a part is enough. After your own change you need not read it again.
- old_string must match the file, with its indentation but without the line numbers of Read, and be unique: if several places match, include more lines.
- Send the changed lines and enough context to find them. A placeholder such as "... existing code ..." would delete code, so it is refused.
- Encoding, line endings and mode of the file are kept.`
