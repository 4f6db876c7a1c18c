import type { OrdinaryProgram, OrdinaryUse } from './use.js'
import { createEntries } from './use.js'

const BASE_USE = { operands: 'git', runsNoFiles: true, readsInput: true } as const
/** The use of subcommands that change files of the working tree, but not those in `.git`. */
const WORKING_TREE_USE: OrdinaryUse = { ...BASE_USE, folders: 'rewritten', usesWorkingFolder: true }

const WHOLE_TREE = { usesWorkingFolder: true, usesWholeProject: true } as const

/**
 * Returns the git subcommands that restore a state of the repository in the working tree, or only record and send changes. The
 * hooks that they run are not judged. Aliases, settings on the command line, and options that name programs are excluded.
 */
export const createGitProgram = (): OrdinaryProgram => ({
  options: { flags: '--no-pager -P --no-optional-locks' },
  subcommands: {
    ...createEntries('add stage', {
      ...BASE_USE,
      flags: '-A --all -u --update -f --force -v --verbose -n --dry-run -N --intent-to-add',
      onlyReads: true,
    }),
    commit: {
      ...BASE_USE,
      flags:
        '-a --all --amend --no-edit --allow-empty --allow-empty-message -n --no-verify -s --signoff -q --quiet -v --verbose ' +
        '--no-gpg-sign --dry-run --reset-author',
      values: '--fixup --squash -C --reuse-message',
      texts: '-m --message --author --date',
      onlyReads: true,
    },
    push: {
      ...BASE_USE,
      flags:
        '-u --set-upstream -f --force --force-with-lease --force-if-includes --tags --follow-tags --delete -d --all --no-verify ' +
        '-q --quiet -v --verbose -n --dry-run --atomic --prune --porcelain',
      onlyReads: true,
    },
    pull: {
      ...BASE_USE,
      starts: 'git fetch, git merge, git rebase',
      flags:
        '-r --rebase --no-rebase --ff --ff-only --no-ff --autostash -q --quiet -v --verbose -t --tags --prune -p --all --no-edit',
      values: '--depth',
    },
    fetch: {
      ...BASE_USE,
      flags:
        '--all -t --tags --no-tags -p --prune -q --quiet -v --verbose --unshallow -f --force --update-head-ok -n --dry-run',
      values: '--depth',
    },
    clone: {
      ...BASE_USE,
      flags:
        '--recursive --recurse-submodules -q --quiet --bare --mirror --single-branch --no-tags -n --no-checkout --shallow-submodules',
      values: '--depth -b --branch -o --origin --filter',
      changesFiles: true,
      folders: 'whole',
    },
    checkout: {
      ...BASE_USE,
      flags: '-q --quiet -t --track --detach',
      values: '-b -B --orphan',
      maxOperands: 1,
      folders: 'rewritten',
    },
    switch: {
      ...BASE_USE,
      flags: '-q --quiet -t --track --detach -d',
      values: '-c -C --create --orphan',
      maxOperands: 1,
    },
    restore: {
      ...BASE_USE,
      flags: '-q --quiet -S --staged -W --worktree',
      values: '-s --source',
      folders: 'whole',
      changesFiles: true,
    },
    branch: {
      ...BASE_USE,
      flags:
        '-a --all -r --remotes -v -vv -d --delete -D -m --move -M -f --force -l --list --show-current --merged --no-merged',
      values: '-u --set-upstream-to',
    },
    merge: {
      ...BASE_USE,
      flags:
        '--no-ff --ff --ff-only --no-edit --squash --abort --continue -q --quiet --no-commit --allow-unrelated-histories',
      texts: '-m',
    },
    rebase: { ...BASE_USE, flags: '--continue --abort --skip --autostash -q --quiet', values: '--onto' },
    'cherry-pick': { ...BASE_USE, flags: '-n --no-commit -x --continue --abort --skip --no-edit' },
    revert: { ...BASE_USE, flags: '--no-edit -n --no-commit --continue --abort --skip' },
    reset: { ...BASE_USE, flags: '--soft --mixed -q --quiet', rewrites: '--hard --merge --keep', ...WHOLE_TREE },
    stash: {
      starts: 'git reset, git clean',
      ...WORKING_TREE_USE,
      ...WHOLE_TREE,
      flags: '-u --include-untracked -k --keep-index -q --quiet',
      texts: '-m --message',
    },
    clean: {
      ...WORKING_TREE_USE,
      flags: '-f --force -d -x -X -n --dry-run -q --quiet',
      values: '-e --exclude',
    },
    rm: { ...BASE_USE, flags: '-r -f --force --cached -q --quiet', folders: 'rewritten' },
    mv: { ...BASE_USE, flags: '-f -k -v', changesFiles: true, folders: 'whole' },
    tag: { ...BASE_USE, flags: '-a -d --delete -f --force -l --list -n', texts: '-m --message' },
    init: { ...BASE_USE, flags: '-q --quiet --bare', values: '-b --initial-branch', maxOperands: 0 },
    ...createEntries('worktree,list worktree,prune worktree,remove', {
      ...BASE_USE,
      flags: '--porcelain -f --force -v',
    }),
    ...createEntries('submodule,init submodule,status submodule,update', {
      ...BASE_USE,
      starts: 'git clone, git fetch, git checkout',
      flags: '--init --recursive --remote -q --quiet',
    }),
    'remote,add': { ...BASE_USE, flags: '-f', starts: 'git fetch' },
    ...createEntries('remote,remove remote,rename remote,set-url', BASE_USE),
    ...createEntries('gc prune', {
      ...BASE_USE,
      starts: 'git prune, git repack, git reflog, git pack-refs',
      flags: '-q --quiet --aggressive --auto',
      operands: 'none',
    }),
  },
})
