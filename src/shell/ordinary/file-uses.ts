import { createEntries, type OrdinaryUse } from './use.js'

/** The use of programs that change files, such as rm and cp. The tables in `families` say what they read and write. */
const FILE_CHANGE: OrdinaryUse = { folders: 'whole', runsNoFiles: true }

/**
 * Returns the uses of programs that change files, builtins that set variables, and wrappers whose command is judged on its
 * own.
 */
export const createFilePrograms = (): Readonly<Record<string, OrdinaryUse>> => ({
  ...createEntries('rm rmdir', { ...FILE_CHANGE, flags: '-r -R -f -v -i -d -p --force --recursive' }),
  ...createEntries('mkdir touch', { ...FILE_CHANGE, flags: '-p -v' }),
  ...createEntries('chmod chown', { ...FILE_CHANGE, flags: '-R -v -f' }),
  ...createEntries('cp mv ln', { ...FILE_CHANGE, flags: '-r -R -a -f -v -p -n -u -s -L -T', changesFiles: true }),
  ...createEntries('export unset readonly local', { operands: 'assignments', runsNoFiles: true }),
  sudo: { flags: '-n -E -H', values: '-u', operands: 'command' },
  ...createEntries('nohup setsid', { operands: 'command' }),
})

/** Programs that run no other program, whatever their arguments are. */
export const PROGRAMS_WITHOUT_CHILDREN: ReadonlySet<string> = new Set(
  [
    'rm rmdir mkdir touch chmod chown chgrp cp mv ln link unlink truncate mkfifo mktemp cat head tail wc ls stat du df tac nl rev',
    'echo printf pwd cd pushd popd test [ true false sleep export unset readonly local declare typeset read set wait date basename',
    'dirname realpath readlink cut tr uniq comm paste join fold fmt expand unexpand seq expr tee cmp grep egrep fgrep jq md5sum',
    'sha1sum sha256sum sha512sum cksum base64 base32 od xxd hexdump strings id whoami uname hostname nproc uptime free which type',
  ].flatMap((names) => names.split(' ')),
)
