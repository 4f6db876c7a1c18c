export const prompt = `Replaces a piece of text in a file.

- Read the file first; a part of it is enough. After your own Edit or Write you need not read it again.
- old_string must be what stands in the file, without the line numbers that Read shows, with its indentation, and it must stand there once. If several places match, send a few more lines around the one that is meant.
- replace_all changes every place, for example to rename something.
- Keep edits small: send what changes and enough around it to find it. Never write a placeholder such as "... existing code ..."; what it stands for would be lost, and the call is refused.
- An empty old_string creates a file that does not exist yet.
- Encoding, line endings and file mode stay as they are; line endings in old_string and new_string do not matter.`
