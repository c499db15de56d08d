/** A server that is kept warm; its name is its own among them. */
export interface WarmServer {
  name: string;
  profile: string;
  path: string;
}
