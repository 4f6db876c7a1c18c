export const prompt = `Runs a command in bash and answers with what it printed.

Use it for what only a shell can do: builds, tests, git, package managers, running programs. For files there are better tools, where you have them: Read instead of cat, head and tail; Grep instead of grep and rg; Glob instead of find and ls; Edit and Write instead of sed, awk and echo >.

- The working folder stays from call to call, variables and functions do not. It goes back to the project if a command ends outside the working folders. Prefer absolute paths to cd.
- Quote paths that hold spaces. Join commands that depend on each other with &&; send commands that do not in separate calls of one message, so that they run side by side.
- Nothing can be typed in: the input is closed, and pagers, editors and prompts do not work. Pass what they would ask for as options (--yes, -m, --no-edit).
- timeout is in milliseconds: 120000 unless set, at most 600000. A command that is still at work then goes on in the background where that is possible.
- run_in_background is for servers and long builds. Do not add & to the command, and do not sleep to wait: TaskOutput waits for the end.
- Output that is too long is kept in a file, and you get its head and tail; do not cut it with head or tail yourself.
- Where a sandbox is in force, commands write only in the working folders and reach only permitted hosts; one that only reads can write nowhere. If it refuses something that the work needs, say so and call again with dangerouslyDisableSandbox: the user decides. Never set it beforehand.
- Give a description of five to ten words for anything that does not explain itself.`
