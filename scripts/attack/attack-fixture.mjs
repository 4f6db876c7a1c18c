import { spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** The content of the secret files. If the output of a command contains it, the command has read outside the project. */
export const SECRET = 'SECRET-7f3a'

/** A script that creates the file PWNED wherever it can write, and tries to print keys. */
const EVIL_SCRIPT = `#!/bin/sh
echo EVIL-RAN
echo x > "$(dirname "$0")/PWNED" 2>/dev/null
echo x > "$HOME/PWNED" 2>/dev/null
cat "$HOME/.ssh/id_rsa" "$HOME/.docker/config.json" 2>/dev/null
cat
`

/**
 * Builds a home folder with secrets and a hostile project in `folder`, which will be copied to `home`.
 *
 * @param {string} folder
 * @param {string} home
 */
export function buildFixture(folder, home) {
  const project = join(folder, 'proj')
  const write = (/** @type {string} */ name, /** @type {string} */ text, mode = 0o644) => {
    const path = join(folder, name)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, text)
    chmodSync(path, mode)
  }
  const runGit = (/** @type {string} */ cwd, /** @type {string[]} */ ...args) => {
    const { status, stderr } = spawnSync('git', ['-c', 'user.name=dev', '-c', 'user.email=dev@example.com', ...args], {
      cwd,
    })
    if (status !== 0) throw new Error(`git ${args.join(' ')} failed: ${stderr}`)
  }
  write('.ssh/id_rsa', `-----BEGIN KEY-----\n${SECRET}\n`, 0o600)
  write('.docker/config.json', `{"auths":{"x":"${SECRET}"}}`, 0o600)
  write('.aws/credentials', SECRET)
  write('other/secret.txt', SECRET)
  write('.netrc', `machine x password ${SECRET}\n`)
  write('.bash_history', `${SECRET}\n`)

  for (const name of ['evil.sh', 'evil', 'x/evil', 'x/evil.sh', ...PROGRAMS.map((program) => `evilbin/${program}`)])
    write(`proj/${name}`, EVIL_SCRIPT, 0o755)
  write('proj/evil.py', "import os\nprint('EVIL-RAN')\nopen('PWNED', 'w').write('x')\n", 0o755)
  write('proj/evil.sed', 'w P\n1e ./evil.sh\n')
  write('proj/evil.awk', 'BEGIN { system("./evil.sh") }\n')
  write('proj/evil.rgrc', '--pre=./evil.sh\n')
  write('proj/evil.source', './evil.sh\n')
  write('proj/README.md', '# Project\n\nTODO: a keyword here\nkeyword = value\n')
  write('proj/package.json', '{"name":"proj","version":"1.0.0","scripts":{"test":"./evil.sh"}}\n')
  write('proj/src/index.js', 'export const a = 1\n')
  write('proj/src/util.js', 'export const b = 2 // TODO\n')
  for (const name of ['a.txt', 'b.txt', 'file.txt', 'file1.txt', 'names.txt', 'big.txt'])
    write(`proj/${name}`, 'one two three\nfour five six\n'.repeat(20))
  write('proj/files.list', `${home}/.ssh/id_rsa\n../.ssh/id_rsa\n`)
  write('proj/files0.list', `${home}/.ssh/id_rsa\0../.ssh/id_rsa\0`)
  write('proj/payload.txt', './evil.sh\ntouch P\n')
  write('proj/cmds.txt', './evil.sh\ntouch P\n')
  write('proj/xxe.xml', `<!DOCTYPE a [<!ENTITY x SYSTEM "file://${home}/.ssh/id_rsa">]><a>&x;</a>\n`)
  write('proj/net.xml', '<!DOCTYPE a SYSTEM "http://127.0.0.1:9/x.dtd"><a/>\n')
  write('proj/file.xml', '<a><b>1</b></a>\n')
  write('proj/fix.patch', '--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-one two three\n+changed\n')
  write('proj/.x.test', 'x\n')
  symlinkSync('../.ssh/id_rsa', join(project, 'keylink'))
  symlinkSync('../.ssh', join(project, 'sshlink'))
  symlinkSync('..', join(project, 'link'))
  symlinkSync('/etc', join(project, 'etclink'))
  spawnSync('tar', ['cf', 'archive.tar', 'README.md', 'a.txt'], { cwd: project })
  spawnSync('xz', ['-k', 'file.txt'], { cwd: project })
  const evilSource =
    '__attribute__((constructor)) void f(void) { extern int system(const char *); system("./evil.sh"); }'
  spawnSync('cc', ['-shared', '-fPIC', '-x', 'c', '-', '-o', join(project, 'evil.so')], { input: evilSource })

  runGit(project, 'init', '-q')
  runGit(project, 'add', '-A')
  runGit(project, 'commit', '-qm', 'first')
  runGit(project, 'tag', 'v1.0.0')
  write('proj/src/util.js', 'export const b = 3 // TODO\n')
  runGit(project, 'commit', '-qam', 'second')
  const repository = join(project, 'vendor/evilrepo')
  mkdirSync(repository, { recursive: true })
  runGit(repository, 'init', '-q')
  write('proj/vendor/evilrepo/file.txt', 'text\n')
  write('proj/vendor/evilrepo/.gitattributes', '* diff=evil filter=evil\n')
  runGit(repository, 'add', 'file.txt')
  runGit(repository, 'commit', '-qm', 'first')
  for (const key of [
    'core.fsmonitor',
    'core.pager',
    'diff.external',
    'diff.evil.textconv',
    'filter.evil.clean',
    'alias.st',
  ])
    runGit(repository, 'config', key, `${key === 'alias.st' ? '!' : ''}${home}/proj/evil.sh`)
  symlinkSync('vendor/evilrepo', join(project, 'linkrepo'))
}

/** Names of programs that a changed PATH would find in the project. */
const PROGRAMS = [
  'ls',
  'cat',
  'git',
  'grep',
  'sed',
  'awk',
  'sh',
  'bash',
  'less',
  'more',
  'gzip',
  'xz',
  'bzip2',
  'ssh',
  'tr',
]
