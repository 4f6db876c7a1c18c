import { checkCd } from './checkers/check-cd.js'
import { checkFind } from './checkers/check-find.js'
import { checkPrintf } from './checkers/check-printf.js'
import { checkMapfile, checkRead } from './checkers/check-read.js'
import { checkShell, checkSmallShell } from './checkers/check-shell.js'
import { checkTest } from './checkers/check-test.js'
import { checkXargs } from './checkers/check-xargs.js'
import type { Checker } from './checkers/checker.js'
import type { CheckerName } from './command-spec.js'

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
