export const prompt = `Loads a skill: instructions for a kind of task, written by the user, the project or a plugin.

- The skills that there are stand in <available-skills>, or in a later <system-reminder>. Use no name that is not listed there.
- Where a skill fits the request, load it before you begin, and then do what it says. "/name" by the user means the skill of that name.
- args is text for the skill, such as a file or a number.
- The answer holds the instructions and the skill's folder. Other files that they mention are in that folder: open them with Read when you need them.
- What was loaded in this conversation need not be loaded again.`
