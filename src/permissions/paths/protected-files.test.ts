import { describe, expect, test } from 'vitest'
import { findProtection } from './protected-files.js'

function check(path: string, extraFiles: readonly string[] = []) {
  const judgedPath = { originalPath: path, forms: [path], isFolder: false, isCaseInsensitive: false, targets: [] }
  return findProtection(judgedPath, () => extraFiles)
}

describe('a write is protected', () => {
  test.each([
    ['/home/dev/.bashrc', 'a shell start-up file'],
    ['/home/dev/.config/fish/config.fish', 'a shell start-up file'],
    ['/etc/profile.d/x.sh', 'a shell start-up file'],
    ['/home/dev/.ssh/rc', 'a shell start-up file'],
    ['/project/.envrc', 'a shell start-up file'],
    ['/home/dev/.bashr', 'a shell start-up file'],
    ['/home/dev/.bashrc.gz', 'a shell start-up file'],
    ['/home/dev/.zshrc.zwc', 'a shell start-up file'],
    ['/home/dev/.oh-my-zsh/custom/x.zsh', 'a shell start-up file'],
    ['/project/lefthook.yml', 'git configuration'],
    ['/project/vendor/bare.git/hooks/post-update', 'git configuration'],
    ['/home/dev/.config/Code - Insiders/User/settings.json', 'editor configuration'],
    ['/project/.git/config', 'git configuration'],
    ['/project/.git/hooks/pre-commit', 'git configuration'],
    ['/project/.git', 'git configuration'],
    ['/project/sub/.GIT/config', 'git configuration'],
    ['/project/.g\u200cit/config', 'git configuration'],
    ['/project/.git./config', 'git configuration'],
    ['/project/.git::$INDEX_ALLOCATION/config', 'git configuration'],
    ['/home/dev/.gitconfig', 'git configuration'],
    ['/home/dev/.config/git/ignore', 'git configuration'],
    ['/project/.husky/pre-push', 'git configuration'],
    ['/project/.vscode/tasks.json', 'editor configuration'],
    ['/project/a.code-workspace', 'editor configuration'],
    ['/home/dev/.vimrc', 'editor configuration'],
    ['/home/dev/.bash_completion', 'a shell start-up file'],
    ['/etc/zprofile', 'a shell start-up file'],
    ['/etc/csh.cshrc', 'a shell start-up file'],
    ['/private/etc/profile', 'a shell start-up file'],
    ['/project/.lfsconfig', 'git configuration'],
    ['/home/dev/_vimrc', 'editor configuration'],
    ['/project/.nvim.lua', 'editor configuration'],
    ['/project/.exrc', 'editor configuration'],
    ['/home/dev/.config/zed/settings.json', 'editor configuration'],
    ['/home/dev/.config/helix/config.toml', 'editor configuration'],
    ['/Users/dev/Library/Application Support/Code/User/settings.json', 'editor configuration'],
    ['/Library/Application Support/Haft/managed-settings.json', "Haft's own settings or hooks"],
    ['/etc/haft/managed-settings.json', "Haft's own settings or hooks"],
    ['/private/etc/haft/managed-settings.json', "Haft's own settings or hooks"],
    ['C:/Program Files/Haft/managed-settings.json', "Haft's own settings or hooks"],
    ['/project/.haft/settings.json', "Haft's own settings or hooks"],
    ['/project/.haft/hooks/x.sh', "Haft's own settings or hooks"],
    ['/project/.claude/settings.json', "Haft's own settings or hooks"],
    ['/project/.mcp.json', "Haft's own settings or hooks"],
    ['/project/.HAFT/Settings.json ', "Haft's own settings or hooks"],
    ['/project/.haft/worktrees', "Haft's own settings or hooks"],
    ['/project/.haft/worktrees/one', "Haft's own settings or hooks"],
    ['/project/.haft/worktrees/one/.git', 'git configuration'],
    ['/project/.haft/worktrees/one/.haft/settings.json', "Haft's own settings or hooks"],
  ])('for %s, because it is %s', (path, description) => {
    expect(check(path)).toBe(description)
  })

  test('for a file that the host protects, and for a folder that contains it', () => {
    const folder = {
      originalPath: 'scripts',
      forms: ['/project/scripts'],
      isFolder: true,
      isCaseInsensitive: false,
      targets: [],
    }

    expect(check('/project/scripts/Hook.sh', ['/project/scripts/hook.sh'])).toBe(
      'the protected file /project/scripts/hook.sh',
    )
    expect(findProtection(folder, () => ['/project/scripts/hook.sh'])).toBe(
      'the protected file /project/scripts/hook.sh',
    )
  })

  test('for a folder that contains the managed policy', () => {
    expect(
      findProtection({ originalPath: 'x', forms: ['/etc'], isFolder: true, isCaseInsensitive: false, targets: [] }),
    ).toBeDefined()
  })

  test('if only the target of a link is protected', () => {
    const link = {
      originalPath: 'x',
      forms: ['/project/x', '/home/dev/.zshrc'],
      isFolder: false,
      isCaseInsensitive: false,
      targets: [],
    }
    expect(findProtection(link)).toBe('a shell start-up file')
  })
})

test('ordinary files are not protected', () => {
  const paths = [
    '/project/src/a.ts',
    '/project/.gitignore',
    '/project/git/config',
    '/project/profile',
    '/project/.github/workflows/ci.yml',
    '/project/.haft/worktrees/one/src/a.ts',
    '/project/bashrc.md',
  ]
  expect(paths.map((path) => check(path))).toEqual(paths.map(() => undefined))
})
