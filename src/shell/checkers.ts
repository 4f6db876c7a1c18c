import { checkCd } from './checkers/check-cd.js'
import { checkFind } from './checkers/check-find.js'
import { checkPrintf } from './checkers/check-printf.js'
import { checkRead } from './checkers/check-read.js'
import { checkShell } from './checkers/check-shell.js'
import { checkTest } from './checkers/check-test.js'
import { checkXargs } from './checkers/check-xargs.js'
import type { Checker } from './checkers/checker.js'
import type { CheckerName } from './command-spec.js'

export const CHECKERS: Readonly<Partial<Record<CheckerName, Checker>>> = {
  cd: checkCd,
  find: checkFind,
  printf: checkPrintf,
  read: checkRead,
  shell: checkShell,
  test: checkTest,
  xargs: checkXargs,
}
