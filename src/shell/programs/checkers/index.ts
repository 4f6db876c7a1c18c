import type { CheckerName } from '../command-spec.js'
import { checkCd, checkDd, checkEval, checkMapfile, checkPrintf, checkRead, checkTest } from './check-builtins.js'
import { checkFind } from './check-find.js'
import { checkPosixShell, checkShell } from './check-shell.js'
import { checkXargs } from './check-xargs.js'
import type { Checker } from './checker.js'

export const CHECKERS: Readonly<Partial<Record<CheckerName, Checker>>> = {
  cd: checkCd,
  dd: checkDd,
  eval: checkEval,
  find: checkFind,
  mapfile: checkMapfile,
  printf: checkPrintf,
  read: checkRead,
  shell: checkShell,
  'posix-shell': checkPosixShell,
  test: checkTest,
  xargs: checkXargs,
}
