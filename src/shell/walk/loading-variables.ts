import { mayBeScript } from './argument-use.js'

/** Variables that hold texts which no program runs. */
const TEXT_VARIABLE = /(?:URL|URI|DSN|TOKEN|_KEY|SECRET|PASSWORD|PASS|USER|NAME|VERSION|LEVEL|TITLE|MESSAGE|BODY|DATE)$/

/** A number, a switch, or nothing. */
const PLAIN_SWITCH = /^(?:[\d.,]*|true|false|yes|no|on|off|y|n)$/i

/** Variables with options that a program reads before those of its command line. */
const OPTION_VARIABLE = /(?:FLAGS|OPTS?|OPTIONS|OPTION|ARGS|_CFG|PARAMS)$/i

/** Variables that name programs, libraries, or files and folders from which programs load code or settings. */
const LOADING_VARIABLE = new RegExp(
  [
    '^(?:LD_|DYLD_|BASH|ENV$|SHELL|PS\\d|PROMPT|SSH_|PERL|RUBY|GEM_|BUNDLE_|GIT_(?!AUTHOR_|COMMITTER_)|NODE_(?!ENV$|VER$|V8_COVERAGE$)',
    '|PYTHON(?!PATH$)|NPM_|npm_|YARN_|PNPM_|MAKE|GNUMAKE|JAVA_|_JAVA|JDK_|MAVEN_|GRADLE_|CARGO_(?!TARGET_DIR$)|RUST|GO(?!OS$|ARCH$)',
    '|CC$|CXX$|CPP$|LD$|AR$|AS$|CMAKE_|CTEST_|PKG_|GCC_|COMPILER_|XDG_|VIM|EXINIT|LESS|MAN|TAR_|RSYNC_|LUA|PHP|TCL|R_|JULIA',
    '|DOTNET_|MSBUILD|PSQL|MYSQL_|PGSERVICE|CURL_|WGET|GDB|HOME$|PATH$|IFS$|CDPATH$|TMUX|SCREEN|OPENSSL_|GCONV|LOCPATH|TERMINFO)',
    '|(?:EDITOR|VISUAL|PAGER|BROWSER|COMMAND|ASKPASS|SHELL|SSH|DIFF|WRAPPER|LAUNCHER|RUNNER|HOOKS?|PLUGINS?|PRELOAD|STARTUP|INIT|RC',
    '|FILTER|LOADER|CONFIG|CONF|HOME|MODULES?|LIBRARY|EXECUTABLE|BINARY|BIN|CMD|EXEC|PROGRAM|TOOL|INTERPRETER|SCRIPT)$',
  ].join(''),
)

/** Options of Node that load nothing. */
const NODE_OPTION =
  /^--(?:(?:max-old-space-size|max-semi-space-size|stack-trace-limit|unhandled-rejections|dns-result-order|max-http-header-size)=[\w-]+|no-warnings|no-deprecation|enable-source-maps|openssl-legacy-provider|expose-gc|throw-deprecation|experimental-(?:vm-modules|fetch|strip-types|modules|specifier-resolution=node|json-modules|sqlite)|no-experimental-[\w-]+|trace-(?:warnings|deprecation|uncaught|exit))$/
/** Options of compilers that set warnings, optimisation and debugging. */
const COMPILER_OPTION = /^(?:-[DWAF]|-[DWAFO][\w-]*|-g\d?|-f(?!plugin)[\w-]+|-std=[\w+]+|warnings)$/
/** Switches without a value, such as `--cov` and `-vv`. Further letters after one dash may be a value. */
const SWITCH = /^(?:-[A-Z]|-([a-z])\1*|--[A-Za-z][\w-]*)$/

/** Loading variables that name files, folders or modules, so that `1` and `no` may be their names. */
const FILE_VARIABLE =
  /^(?:HOME|ENV|BASH_ENV|MAKEFILES|GIT_CONFIG_(?:GLOBAL|SYSTEM)|COMPILER_PATH|[A-Z_]+(?:RC|PLUGINS|PRELOAD))$/
/** Loading variables that name a program. */
const PROGRAM_VARIABLE = /^(?:CC|CXX|CPP|LD|AR|AS)$|(?:EDITOR|VISUAL|PAGER|BROWSER|ASKPASS|WRAPPER|LAUNCHER)$/
/** Programs that run neither their arguments nor the files that these name. Rules are compared with their names. */
const HARMLESS_PROGRAM = new RegExp(
  [
    '^(?::|vim?|nvim|nano|pico|micro|joe|emacs|emacsclient|code|codium|subl|hx|helix|kak|gedit|kate|mcedit|cat|less|more|most|bat|delta',
    '|cc|gcc|clang|tcc|icc|cpp|ld|lld|mold|ar|as|ccache|sccache|distcc|none|firefox|chrome|chromium|safari|echo)$',
  ].join(''),
)
/** Loading variables whose value is one of a few words. */
const MODE_VARIABLE =
  /^(?:RUST_LOG|RUST_BACKTRACE|RUSTUP_TOOLCHAIN|CARGO_TERM_COLOR|PYTHON(?:HASHSEED|IOENCODING|WARNINGS|ASYNCIODEBUG)|CMAKE_BUILD_TYPE|GO(?:PROXY|SUMDB|TOOLCHAIN|EXPERIMENT|AMD64|TRACEBACK)|NODE_DEBUG|GIT_MERGE_AUTOEDIT|NPM_CONFIG_(?:LOGLEVEL|PROGRESS|FUND|AUDIT|COLOR))$/i

/** A value that names a file with code, or a file in another folder. */
const CODE_FILE =
  /\/|\.(?:[cm]?[jt]sx?|py|sh|bash|zsh|pl|pm|rb|php|lua|so|dll|dylib|jar|mk|el|vim|tcl|awk|sed|rc)(?:$|[\s,;:])/i
/** Variables that name files which a program writes or reads as data. */
const DATA_FILE_VARIABLE =
  /(?:_DIR|TMPDIR|_OUTPUT|_OUT|_CACHE|_COVERAGE|_PROJECT|_DB|_LOG|PYTHONPATH|_REPORT|_FILE|_ROOT|_PREFIX|^PREFIX|^DESTDIR)$/

/** Whether an assignment may make a program run or load something: a command, options, a library or a file with code. */
export function mayLoadCode(text: string): boolean {
  const equals = text.indexOf('=')
  const name = text.slice(0, equals).replace(/\+$/, '')
  const value = text.slice(equals + 1)
  if (value === '' || (PLAIN_SWITCH.test(value) && !FILE_VARIABLE.test(name))) return false
  if (name === 'NODE_OPTIONS') return !everyToken(value, NODE_OPTION)
  if (OPTION_VARIABLE.test(name))
    return (
      !everyToken(value, /^(?:RUST|C|CXX|CPP|LD|GO)FLAGS$/.test(name) ? COMPILER_OPTION : SWITCH) ||
      (LOADING_VARIABLE.test(name) && !/^RUST/.test(name))
    )
  if (LOADING_VARIABLE.test(name)) return !isHarmlessValue(name, value)
  if (TEXT_VARIABLE.test(name)) return false
  if (mayBeScript(value) || value.startsWith('-')) return true
  return CODE_FILE.test(value) && !DATA_FILE_VARIABLE.test(name)
}

/** Whether a loading variable names a program that loads nothing, or a mode. Any other value may lead to code. */
function isHarmlessValue(name: string, value: string): boolean {
  if (PROGRAM_VARIABLE.test(name)) return HARMLESS_PROGRAM.test(value)
  return MODE_VARIABLE.test(name) && /^[A-Za-z]\w*$/.test(value)
}

function everyToken(value: string, pattern: RegExp): boolean {
  return value.split(/\s+/).every((token) => token === '' || pattern.test(token))
}
