export const prompt = `Runs a command in PowerShell (pwsh) and returns its output.

Use it for what only PowerShell can do; for files prefer Read, Grep, Glob, Edit and Write if you have them.

- The working directory persists between calls; variables and functions do not. It is reset to the project if a command ends outside the working directories.
- Quote paths that contain spaces; the escape character is the backtick. Join dependent commands with && or ;.
- There is no interactive input: use -Force, -Confirm:$false and similar options instead of answering prompts.
- timeout is in milliseconds: 120000 by default, at most 600000. run_in_background is for servers and long builds; TaskOutput waits for the end and reads their output.
- Output that is too long is stored in a file, and you get its head and tail.
- If a sandbox blocks something the task needs, say so and call again with dangerouslyDisableSandbox; the user is asked. Never set it in advance.`
