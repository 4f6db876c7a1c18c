export const prompt = `Loads a skill: instructions for a kind of task, written by the user, the project or a plugin.

- The available skills are listed in <available-skills> or in a later <system-reminder>. Use only names listed there.
- If a skill fits the request, load it before you start, and then follow it. "/name" from the user means the skill of that name.
- args is text for the skill, such as a file or a number.
- The result contains the instructions and the folder of the skill. Other files they mention are in that folder: open them with Read when you need them.
- A skill that was loaded in this conversation need not be loaded again.`
