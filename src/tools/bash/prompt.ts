export const prompt = `Runs a command in bash and returns its output.

Use it for what only a shell can do: builds, tests, git, package managers, running programs. For files use the dedicated tools if you have them: Read instead of cat, head and tail; Grep instead of grep and rg; Glob instead of find and ls; Edit and Write instead of sed, awk and echo >.

- The working directory persists between calls; variables and functions do not. It is reset to the project if a command ends outside the working directories. Prefer absolute paths to cd.
- Quote paths that contain spaces. Join dependent commands with &&; send independent commands as separate calls in one message, so that they run in parallel.
- There is no interactive input: stdin is closed, and pagers, editors and prompts do not work. Pass the answers as options (--yes, -m, --no-edit).
- timeout is in milliseconds: 120000 by default, at most 600000. A command that is still running then continues in the background if possible.
- run_in_background is for servers and long builds. Do not add & to the command, and do not sleep to wait: TaskOutput waits for the end.
- Output that is too long is stored in a file, and you get its head and tail; do not cut it with head or tail yourself.
- In a sandbox, commands write only to the working directories and reach only permitted hosts; read-only commands cannot write at all. If it blocks something the task needs, say so and call again with dangerouslyDisableSandbox; the user is asked. Never set it in advance.
- Give a description of five to ten words for any command that is not self-explanatory.`
