import type { OrdinaryProgram, OrdinaryUse } from './use.js'
import { each } from './use.js'

const NAMES = { operands: 'git', runsNoFiles: true, readsInput: true } as const
/** Changes files of the working tree, but not those in `.git`. */
const TREE: OrdinaryUse = { ...NAMES, folders: 'rewritten', usesWorkingFolder: true }

/**
 * Uses of git that bring the working tree to a state that the repository has, or only record and send changes. They run hooks,
 * which are not judged. Left out are aliases, settings on the command line, and options that name programs.
 */
export const git: OrdinaryProgram = {
  options: { flags: '--no-pager -P --no-optional-locks' },
  subcommands: {
    ...each('add stage', {
      ...NAMES,
      flags: '-A --all -u --update -f --force -v --verbose -n --dry-run -N --intent-to-add',
      onlyReads: true,
    }),
    commit: {
      ...NAMES,
      flags:
        '-a --all --amend --no-edit --allow-empty --allow-empty-message -n --no-verify -s --signoff -q --quiet -v --verbose ' +
        '--no-gpg-sign --dry-run --reset-author',
      values: '--fixup --squash -C --reuse-message',
      texts: '-m --message --author --date',
      onlyReads: true,
    },
    push: {
      ...NAMES,
      flags:
        '-u --set-upstream -f --force --force-with-lease --force-if-includes --tags --follow-tags --delete -d --all --no-verify ' +
        '-q --quiet -v --verbose -n --dry-run --atomic --prune --porcelain',
      onlyReads: true,
    },
    pull: {
      ...NAMES,
      flags:
        '-r --rebase --no-rebase --ff --ff-only --no-ff --autostash -q --quiet -v --verbose -t --tags --prune -p --all --no-edit',
      values: '--depth',
    },
    fetch: {
      ...NAMES,
      flags:
        '--all -t --tags --no-tags -p --prune -q --quiet -v --verbose --unshallow -f --force --update-head-ok -n --dry-run',
      values: '--depth',
    },
    clone: {
      ...NAMES,
      flags:
        '--recursive --recurse-submodules -q --quiet --bare --mirror --single-branch --no-tags -n --no-checkout --shallow-submodules',
      values: '--depth -b --branch -o --origin --filter',
      changesFiles: true,
      folders: 'whole',
    },
    checkout: {
      ...NAMES,
      flags: '-q --quiet -t --track --detach',
      values: '-b -B --orphan',
      maxOperands: 1,
      folders: 'rewritten',
    },
    switch: { ...NAMES, flags: '-q --quiet -t --track --detach -d', values: '-c -C --create --orphan', maxOperands: 1 },
    branch: {
      ...NAMES,
      flags:
        '-a --all -r --remotes -v -vv -d --delete -D -m --move -M -f --force -l --list --show-current --merged --no-merged',
      values: '-u --set-upstream-to',
    },
    merge: {
      ...NAMES,
      flags:
        '--no-ff --ff --ff-only --no-edit --squash --abort --continue -q --quiet --no-commit --allow-unrelated-histories',
      texts: '-m',
    },
    rebase: { ...NAMES, flags: '--continue --abort --skip --autostash -q --quiet', values: '--onto' },
    'cherry-pick': { ...NAMES, flags: '-n --no-commit -x --continue --abort --skip --no-edit' },
    revert: { ...NAMES, flags: '--no-edit -n --no-commit --continue --abort --skip' },
    reset: { ...NAMES, flags: '--soft --mixed -q --quiet', rewrites: '--hard', usesWorkingFolder: true },
    stash: { ...TREE, flags: '-u --include-untracked -k --keep-index -q --quiet', texts: '-m --message' },
    clean: { ...TREE, flags: '-f --force -d -x -X -n --dry-run -q --quiet' },
    rm: { ...NAMES, flags: '-r -f --force --cached -q --quiet', folders: 'rewritten' },
    mv: { ...NAMES, flags: '-f -k -v', changesFiles: true, folders: 'whole' },
    tag: { ...NAMES, flags: '-a -d --delete -f --force -l --list -n', texts: '-m --message' },
    init: { ...NAMES, flags: '-q --quiet --bare', values: '-b --initial-branch', maxOperands: 0 },
    ...each('worktree,list worktree,prune worktree,remove', { ...NAMES, flags: '--porcelain -f --force -v' }),
    ...each('submodule,init submodule,status submodule,update', {
      ...NAMES,
      flags: '--init --recursive --remote -q --quiet',
    }),
    ...each('remote,add remote,remove remote,rename remote,set-url', { ...NAMES, flags: '-f' }),
    ...each('gc prune', { ...NAMES, flags: '-q --quiet --aggressive --auto', operands: 'none' }),
  },
}
