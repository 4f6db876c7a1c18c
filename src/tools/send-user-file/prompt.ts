export const prompt = `Sends files to the user. The user sees their paths with links, and a program that drives the session gets their content.

Use it when the user asked for a file, or when the result of your work is a file that the user wants to have: a report, an image, an archive. Do not send source files that you have merely changed.

- files: paths of the files. A missing file is an error, and nothing is sent.
- caption: what the files are, in one sentence.`
