export const prompt = `Runs a command in PowerShell (pwsh) and answers with what it printed.

Use it for what only PowerShell can do; for files prefer Read, Grep, Glob, Edit and Write, where you have them.

- The working folder stays from call to call, variables and functions do not. It goes back to the project if a command ends outside the working folders.
- Quote paths that hold spaces; the escape character is the backtick. Join commands that depend on each other with && or ;.
- Nothing can be typed in: use -Force, -Confirm:$false and the like instead of answering questions.
- timeout is in milliseconds: 120000 unless set, at most 600000. run_in_background is for servers and long builds; TaskOutput waits for the end and reads what they print.
- Output that is too long is kept in a file, and you get its head and tail.
- Where a sandbox refuses something that the work needs, say so and call again with dangerouslyDisableSandbox: the user decides. Never set it beforehand.`
