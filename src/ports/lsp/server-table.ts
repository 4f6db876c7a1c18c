/** A program that may provide a built-in server. */
export interface ServerProgram {
  readonly command: string
  readonly args: readonly string[]
  /** The npm package that the program must belong to, and its minimum major version. */
  readonly npmPackage?: { readonly name: string; readonly minMajor: number }
}

/** A language server that is used when one of its programs is installed. */
export interface BuiltInServer {
  readonly name: string
  /** Preferred first. */
  readonly programs: readonly ServerProgram[]
  /** The language ID for each file extension. */
  readonly extensions: Readonly<Record<string, string>>
  readonly rootMarkers: readonly string[]
  /** Whether the root is the nearest or the outermost folder with a marker, within the repository. */
  readonly root: 'nearest' | 'outermost'
  /** How to install the server. */
  readonly install: string
  /**
   * Whether the server may start before the project is trusted, because it never runs code of the project, such as build
   * scripts and plugins.
   */
  readonly isSafeUntrusted?: true
}

const TYPESCRIPT_EXTENSIONS = {
  '.ts': 'typescript',
  '.mts': 'typescript',
  '.cts': 'typescript',
  '.tsx': 'typescriptreact',
  '.js': 'javascript',
  '.mjs': 'javascript',
  '.cjs': 'javascript',
  '.jsx': 'javascriptreact',
}

/** The servers that need no settings. For each file, the first installed server that supports its extension is used. */
export const BUILT_IN_SERVERS: readonly BuiltInServer[] = [
  {
    name: 'typescript',
    programs: [
      { command: 'tsc', args: ['--lsp', '--stdio'], npmPackage: { name: 'typescript', minMajor: 7 } },
      { command: 'tsgo', args: ['--lsp', '--stdio'] },
    ],
    extensions: TYPESCRIPT_EXTENSIONS,
    rootMarkers: ['tsconfig.json', 'jsconfig.json', 'package.json'],
    root: 'outermost',
    install: 'npm install --save-dev typescript@7',
    isSafeUntrusted: true,
  },
  {
    // This server loads the TypeScript version of the project.
    name: 'typescript-language-server',
    programs: [
      { command: 'typescript-language-server', args: ['--stdio'] },
      { command: 'vtsls', args: ['--stdio'] },
    ],
    extensions: TYPESCRIPT_EXTENSIONS,
    rootMarkers: ['tsconfig.json', 'jsconfig.json', 'package.json'],
    root: 'outermost',
    install: 'npm install -g typescript-language-server typescript',
  },
  {
    name: 'pyright',
    programs: [
      { command: 'pyright-langserver', args: ['--stdio'] },
      { command: 'basedpyright-langserver', args: ['--stdio'] },
    ],
    extensions: { '.py': 'python', '.pyi': 'python' },
    rootMarkers: ['pyrightconfig.json', 'pyproject.toml', 'setup.py', 'setup.cfg', 'requirements.txt'],
    root: 'outermost',
    install: 'npm install -g pyright',
  },
  {
    name: 'pylsp',
    programs: [{ command: 'pylsp', args: [] }],
    extensions: { '.py': 'python' },
    rootMarkers: ['pyproject.toml', 'setup.py', 'setup.cfg', 'requirements.txt'],
    root: 'outermost',
    install: 'pip install python-lsp-server',
  },
  {
    name: 'gopls',
    programs: [{ command: 'gopls', args: ['serve'] }],
    extensions: { '.go': 'go', '.mod': 'go.mod' },
    rootMarkers: ['go.work', 'go.mod'],
    root: 'outermost',
    install: 'go install golang.org/x/tools/gopls@latest',
  },
  {
    name: 'rust-analyzer',
    programs: [{ command: 'rust-analyzer', args: [] }],
    extensions: { '.rs': 'rust' },
    rootMarkers: ['Cargo.toml', 'rust-project.json'],
    root: 'outermost',
    install: 'rustup component add rust-analyzer',
  },
  {
    name: 'clangd',
    programs: [{ command: 'clangd', args: [] }],
    extensions: {
      '.c': 'c',
      '.h': 'c',
      '.cc': 'cpp',
      '.cpp': 'cpp',
      '.cxx': 'cpp',
      '.hh': 'cpp',
      '.hpp': 'cpp',
      '.hxx': 'cpp',
      '.m': 'objective-c',
      '.mm': 'objective-cpp',
    },
    rootMarkers: ['compile_commands.json', 'compile_flags.txt', '.clangd', 'CMakeLists.txt', 'meson.build'],
    root: 'nearest',
    install: 'apt-get install clangd (macOS: brew install llvm)',
    isSafeUntrusted: true,
  },
  {
    name: 'jdtls',
    programs: [{ command: 'jdtls', args: [] }],
    extensions: { '.java': 'java' },
    rootMarkers: ['settings.gradle', 'settings.gradle.kts', 'pom.xml', 'build.gradle', 'build.gradle.kts'],
    root: 'outermost',
    install: 'brew install jdtls, or https://github.com/eclipse-jdtls/eclipse.jdt.ls',
  },
  {
    name: 'kotlin-lsp',
    programs: [
      { command: 'kotlin-lsp', args: ['--stdio'] },
      { command: 'kotlin-language-server', args: [] },
    ],
    extensions: { '.kt': 'kotlin', '.kts': 'kotlin' },
    rootMarkers: ['settings.gradle', 'settings.gradle.kts', 'pom.xml', 'build.gradle', 'build.gradle.kts'],
    root: 'outermost',
    install: 'brew install JetBrains/utils/kotlin-lsp',
  },
  {
    name: 'csharp-ls',
    programs: [{ command: 'csharp-ls', args: [] }],
    extensions: { '.cs': 'csharp' },
    rootMarkers: ['global.json', 'Directory.Build.props'],
    root: 'outermost',
    install: 'dotnet tool install --global csharp-ls',
  },
  {
    name: 'intelephense',
    programs: [
      { command: 'intelephense', args: ['--stdio'] },
      { command: 'phpactor', args: ['language-server'] },
    ],
    extensions: { '.php': 'php' },
    rootMarkers: ['composer.json'],
    root: 'outermost',
    install: 'npm install -g intelephense',
  },
  {
    name: 'ruby-lsp',
    programs: [
      { command: 'ruby-lsp', args: [] },
      { command: 'solargraph', args: ['stdio'] },
    ],
    extensions: { '.rb': 'ruby', '.rake': 'ruby' },
    rootMarkers: ['Gemfile'],
    root: 'outermost',
    install: 'gem install ruby-lsp',
  },
  {
    name: 'lua-language-server',
    programs: [{ command: 'lua-language-server', args: [] }],
    extensions: { '.lua': 'lua' },
    rootMarkers: ['.luarc.json', '.luarc.jsonc'],
    root: 'outermost',
    install: 'brew install lua-language-server',
  },
  {
    name: 'zls',
    programs: [{ command: 'zls', args: [] }],
    extensions: { '.zig': 'zig' },
    rootMarkers: ['build.zig'],
    root: 'outermost',
    install: 'https://github.com/zigtools/zls',
  },
  {
    name: 'sourcekit-lsp',
    programs: [{ command: 'sourcekit-lsp', args: [] }],
    extensions: { '.swift': 'swift' },
    rootMarkers: ['Package.swift'],
    root: 'outermost',
    install: 'install Swift from https://swift.org',
  },
  {
    name: 'elixir-ls',
    programs: [
      { command: 'elixir-ls', args: [] },
      { command: 'expert', args: ['--stdio'] },
    ],
    extensions: { '.ex': 'elixir', '.exs': 'elixir' },
    rootMarkers: ['mix.exs'],
    root: 'outermost',
    install: 'brew install elixir-ls',
  },
  {
    name: 'bash-language-server',
    programs: [{ command: 'bash-language-server', args: ['start'] }],
    extensions: { '.sh': 'shellscript', '.bash': 'shellscript' },
    rootMarkers: [],
    root: 'nearest',
    install: 'npm install -g bash-language-server',
  },
  {
    name: 'terraform-ls',
    programs: [{ command: 'terraform-ls', args: ['serve'] }],
    extensions: { '.tf': 'terraform', '.tfvars': 'terraform-vars' },
    rootMarkers: ['.terraform', '.terraform.lock.hcl'],
    root: 'nearest',
    install: 'brew install hashicorp/tap/terraform-ls',
  },
]
