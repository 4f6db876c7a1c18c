export const prompt = `Returns from the worktree that EnterWorktree entered to the project.
- action "keep" leaves the worktree and its branch as they are. Use it if the user did not ask to remove it.
- action "remove" deletes the worktree. Its branch stays if it has commits that are on no other branch, and the result names it.
- "remove" is refused if the worktree contains work that is not committed: changed, untracked or ignored files, or work in submodules. Ask the user what to do with it, or commit it.
- discard_changes removes such a worktree anyway. Nothing is deleted then: everything is moved to a folder that the result names. The user is asked first.`
