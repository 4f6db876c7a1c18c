import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { join } from 'node:path'
import { makeGitFixture } from '../../src/testing/files/git-fixture.js'

/** Creates files of the kinds that the examples in the command tables read. */
const SCRIPT = `
set -e
mkdir -p scripts data dir1
printf 'console.log(1)\\n' > src/index.js
printf '#!/bin/sh\\necho deploy\\n' > scripts/deploy.sh
printf 'one\\ntwo\\nthree\\n' > file.txt
printf 'name,size\\na,1\\nb,2\\n' > data.csv
printf '{ "a": [1, 2], "b": "c" }\\n' > data.json
printf 'a: 1\\n' > data.yaml
printf '<list><item>1</item></list>\\n' > file.xml
cp /bin/true prog
ln -s README.md link
(cd docs
  tar cf archive.tar -C .. a.txt b.txt && tar czf archive.tar.gz -C .. a.txt
  gzip -c ../a.txt > file.gz && bzip2 -c ../a.txt > file.bz2 && xz -c ../a.txt > file.xz
  (cd .. && zip -q docs/archive.zip a.txt b.txt))
git diff > docs/fix.patch
echo '<a><b>x</b></a>' > docs/file.xml
`

export function makeObservedFixture(folder: string): void {
  makeGitFixture(folder)
  execFileSync('bash', ['-c', SCRIPT], { cwd: folder, stdio: 'pipe' })
}

/** Every file with its kind, time and content; two snapshots are equal only if nothing changed. */
export function takeSnapshot(folder: string): Readonly<Record<string, string>> {
  const entries: Record<string, string> = {}
  const visit = (path: string) => {
    const { mode, mtimeMs, size } = lstatSync(path)
    const isFolder = lstatSync(path).isDirectory()
    entries[path] = `${mode} ${mtimeMs} ${isFolder ? '' : size} ${readContent(path)}`
    if (isFolder) for (const name of readdirSync(path)) visit(join(path, name))
  }
  visit(folder)
  return entries
}

function readContent(path: string): string {
  const stat = lstatSync(path)
  if (stat.isSymbolicLink()) return readlinkSync(path)
  return stat.isFile() ? createHash('sha1').update(readFileSync(path)).digest('hex') : ''
}
