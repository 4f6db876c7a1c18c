/** What tells programs to use the proxy, in all the spellings that they look for. */
export function proxyEnvironment(url: string): Readonly<Record<string, string>> {
  const names = ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY']
  const direct = 'localhost,127.0.0.1,::1'
  return {
    ...Object.fromEntries([...names, ...names.map((name) => name.toLowerCase())].map((name) => [name, url])),
    NO_PROXY: direct,
    no_proxy: direct,
    NODE_USE_ENV_PROXY: '1',
  }
}
