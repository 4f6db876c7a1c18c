import { each, type OrdinaryUse } from './use.js'

/** The files are in the tables of `families`; these uses add patterns such as `dist/*`. */
const CHANGE: OrdinaryUse = { folders: 'whole', runsNoFiles: true }

/** Programs that change files, builtins that set variables, and wrappers whose command is judged by itself. */
export const FILE_PROGRAMS: Readonly<Record<string, OrdinaryUse>> = {
  ...each('rm rmdir', { ...CHANGE, flags: '-r -R -f -v -i -d -p --force --recursive' }),
  ...each('mkdir touch', { ...CHANGE, flags: '-p -v' }),
  ...each('chmod chown', { ...CHANGE, flags: '-R -v -f' }),
  ...each('cp mv ln', { ...CHANGE, flags: '-r -R -a -f -v -p -n -u -s -L -T', changesFiles: true }),
  ...each('export unset readonly local', { operands: 'assignments', runsNoFiles: true }),
  sudo: { flags: '-n -E -H', values: '-u', operands: 'command' },
  ...each('nohup setsid', { operands: 'command' }),
}

/** Programs that run no other program, whatever their words are. */
export const RUNS_NOTHING: ReadonlySet<string> = new Set(
  [
    'rm rmdir mkdir touch chmod chown chgrp cp mv ln link unlink truncate mkfifo mktemp cat head tail wc ls stat du df tac nl rev',
    'echo printf pwd cd pushd popd test [ true false sleep export unset readonly local declare typeset read set wait date basename',
    'dirname realpath readlink cut tr uniq comm paste join fold fmt expand unexpand seq expr tee cmp grep egrep fgrep jq md5sum',
    'sha1sum sha256sum sha512sum cksum base64 base32 od xxd hexdump strings id whoami uname hostname nproc uptime free which type',
  ].flatMap((names) => names.split(' ')),
)
