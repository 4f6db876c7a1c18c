import type { CommandSpec } from '../programs/command-spec.js'

/** The options of a program that may have any effect. */
interface OpaqueProgram extends Pick<CommandSpec, 'hasObservedHelp'> {
  /** Options whose value is a file or folder that is written. */
  readonly writes?: string
  /** Options that run their value, or the content of the file that it names. */
  readonly runs?: string
  /** Options with which the program uses files that no word names. */
  readonly lists?: string
  /** Whether the last operand is a file or folder that is written. */
  readonly writesLastOperand?: true
}

/** Returns the entry of a program that is never read-only and whose effects are not known completely. */
function createOpaqueProgram(
  names: string,
  { writes = '', runs = '', lists = '', writesLastOperand, ...more }: OpaqueProgram,
): CommandSpec {
  return {
    names,
    manual: `${names.split(' ', 1)}(1)`,
    ...more,
    isOpaque: true,
    options: { targets: writes, runs, lists },
    ...(writesLastOperand === true && { lastOperand: 'writes' }),
    examples: [],
  }
}

/** For programs that CI installs, so that the observation test runs `--help` and `--version`. */
const OBSERVED_HELP = { hasObservedHelp: true } as const

/**
 * Returns the tables of programs that may have any effect. Their options matter in two ways: a file whose name is known only
 * at run time may be protected, and a rule that allows a program does not allow the programs that its options run.
 */
export const createOpaqueSpecs = (): readonly CommandSpec[] => [
  createOpaqueProgram('zip', {
    ...OBSERVED_HELP,
    writes: '-b --temp-path -O --output-file',
    runs: '-TT --unzip-command',
    lists: '-@ --names-stdin',
  }),
  createOpaqueProgram('patch', { ...OBSERVED_HELP, writes: '-o --output -d --directory -r --reject-file -B --prefix' }),
  // As root, every query writes the caches of package lists. Settings of `-o` can name programs that apt runs before and after its work.
  createOpaqueProgram('apt apt-get apt-mark aptitude', { ...OBSERVED_HELP, runs: '-o --option -c --config-file' }),
  createOpaqueProgram('pax', { writes: '-f' }),
  createOpaqueProgram('ffmpeg convert magick objcopy pdftotext', { writesLastOperand: true }),
  createOpaqueProgram('pandoc', { writes: '-o --output --extract-media --log', runs: '-F --filter -L --lua-filter' }),
  createOpaqueProgram('gpg', {
    ...OBSERVED_HELP,
    writes: '-o --output --homedir',
    runs: '--photo-viewer --gpgconf-prog',
  }),
  createOpaqueProgram('rustc', { writes: '-o --out-dir --emit', runs: '-C --codegen' }),
  createOpaqueProgram('tsc', { writes: '--outDir --outFile --declarationDir --tsBuildInfoFile' }),
  createOpaqueProgram('esbuild webpack rollup', { writes: '-o --outfile --outdir --output-path --file -d --dir' }),
  createOpaqueProgram('bison flex yacc lex', { writes: '-o --output --outfile --header-file --defines' }),
  createOpaqueProgram('protoc', { writes: '-o --descriptor_set_out --python_out --go_out --js_out', runs: '--plugin' }),
  createOpaqueProgram('ssh', { writes: '-E', runs: '-o -F' }),
  createOpaqueProgram('dot neato', { writes: '-o' }),
  createOpaqueProgram('pg_dump pg_dumpall mysqldump mongodump', { writes: '-f --file -r --result-file -o --out' }),
  createOpaqueProgram('go', { writes: '-o -coverprofile -cpuprofile -memprofile', runs: '-exec -toolexec -vettool' }),
  createOpaqueProgram('cargo', { writes: '--target-dir --out-dir --root', runs: '--config' }),
]
