export const prompt = `Writes a whole file: a new one, or in place of what it held.

- To change part of a file use Edit: it costs less and cannot lose the rest.
- A file that exists must have been read first, so that nothing is overwritten unseen.
- Send the whole content. A placeholder such as "... rest unchanged ..." in place of code is refused.
- Missing folders are made. A file that exists keeps its encoding, line endings and mode.
- Write documentation files only if the user asked for them.`
