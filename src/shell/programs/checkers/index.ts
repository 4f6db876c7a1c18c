import type { CheckerName } from '../command-spec.js'
import { checkCd, checkMapfile, checkPrintf, checkRead, checkTest } from './check-builtins.js'
import { checkFind } from './check-find.js'
import { checkShell, checkSmallShell } from './check-shell.js'
import { checkXargs } from './check-xargs.js'
import type { Checker } from './checker.js'

export const CHECKERS: Readonly<Partial<Record<CheckerName, Checker>>> = {
  cd: checkCd,
  find: checkFind,
  mapfile: checkMapfile,
  printf: checkPrintf,
  read: checkRead,
  shell: checkShell,
  'small-shell': checkSmallShell,
  test: checkTest,
  xargs: checkXargs,
}
