export const prompt = `Creates a git worktree and moves the session into it: an isolated copy of the last commit, on its own branch.
- Use it only if the user asks to work in a worktree, or if your work must not touch the files of the project.
- The worktree becomes the working directory. Use paths in it: writes to the project then need approval.
- Uncommitted changes and ignored files of the project, such as installed packages, are not in it.
- name is optional. The name of an existing worktree enters that one again.
- Commit your work there. ExitWorktree returns to the project and keeps or removes the worktree.
- To let a sub-agent work in its own copy, use isolation of Agent instead.`
