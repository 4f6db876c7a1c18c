import { describe, expect, test } from 'vitest'
import { splitPlainWords } from '../../shell/words/plain-words.js'
import { parseSedEdit } from './sed-edit.js'

describe('a plain sed edit of one file is parsed as an edit', () => {
  test.each([
    [`sed -i 's/a/b/g' file.txt`, ['-e', 's/a/b/g'], 'file.txt'],
    [`sed -i "s|a|b|" 'a file'`, ['-e', 's|a|b|'], 'a file'],
    [`sed -i -E 's/(a+)/[\\1]/' f`, ['-E', '-e', 's/(a+)/[\\1]/'], 'f'],
    [`sed -Ei 's/a/b/' f`, ['-E', '-e', 's/a/b/'], 'f'],
    [`sed -n -i 's/a/b/p' f`, ['-n', '-e', 's/a/b/p'], 'f'],
    [`sed -i -e 's/a/b/' -e '/old name/d' f`, ['-e', 's/a/b/', '-e', '/old name/d'], 'f'],
    [`sed -i 's/a/b/;s/c/d/2' f`, ['-e', 's/a/b/;s/c/d/2'], 'f'],
    [`sed -i -- '2,$s/a/b/' f`, ['-e', '2,$s/a/b/'], 'f'],
    [`sed -i 3d f`, ['-e', '3d'], 'f'],
    [`sed -i 's#/usr#/opt#' /etc/paths`, ['-e', 's#/usr#/opt#'], '/etc/paths'],
  ])('such as %s', (command, args, file) => {
    expect(parseSedEdit(splitPlainWords(command))).toEqual({ args, file })
  })
})

describe('a command other than a plain sed edit of one file is not parsed as an edit', () => {
  test.each([
    `sed 's/a/b/' f`,
    `sed -i -e 's/a/b/' -e '/^x/d' f`,
    `sed -i '2,$s/a/b/' -- f`,
    `  sed -i 's/[/]x/b/' f`,
    `sed -i.bak 's/a/b/' f`,
    `sed -iE 's/a/b/' f`,
    `sed -i 's/a/b/' f g`,
    `sed -i 's/a/b/' *.txt`,
    `sed -i 's/a/b/' f && rm f`,
    `sed -i 's/a/b/' $f`,
    `sed -i "s/a/$b/" f`,
    `sed -i 's/a/b/e' f`,
    `sed -i 's/a/b/w out' f`,
    `sed -i 's/a/b/;e rm x' f`,
    `sed -i 's/a/b/;w out' f`,
    `sed -i '1e rm x' f`,
    `sed -i 's/[/x/;s/]/y/' f`,
    `sed -i 's/a\\/b/c/' f`,
    `sed -i 's/a/b' f`,
    `sed -i 'd' f`,
    `sed -i -f script f`,
    `sed -i --follow-symlinks 's/a/b/' f`,
    `sed -s -i 's/a/b/' f`,
    `sed -i 's/a/b/' f -n`,
    `sed -i 's/a/b/' //server/share`,
    `sed -i 's/a/b/' -`,
    `sed -i 's/a/b/'`,
    `FOO=1 sed -i 's/a/b/' f`,
    `sudo sed -i 's/a/b/' f`,
    `sed -i 's/a/b/' f > out`,
    `sed -i 's/a/b/' f # x`,
    `sed -i 's/a/b/' ~/f`,
    `sed -i 's/a/b/' {a,b}`,
    `sed -i 'sxaxbx' f`,
    `sed -i 's/a/x\ny/' f`,
    `sed -i 'ssasbs' f`,
    `sed -i '' f`,
  ])('such as %s', (command) => expect(parseSedEdit(splitPlainWords(command))).toBeUndefined())
})
