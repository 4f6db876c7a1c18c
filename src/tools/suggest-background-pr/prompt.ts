export const prompt = `Suggests to the user to open a pull request for the commits of the current branch. If the user agrees, the branch is pushed and the pull request is created in the background, with git and gh, while you continue.

Use it when a piece of work is committed on a branch of its own and complete. Commit everything first. The user is always asked.

- title, body: of the pull request. The body says what changes and why, in Markdown.
- base: the branch to merge into; the default branch of the repository if left out.
- draft: whether it is only a draft.`
