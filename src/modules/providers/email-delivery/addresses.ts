const ADDRESS =
  /^[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@((?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.)+[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?)$/;
/** A name that needs no quotes, and the address behind it. */
const NAMED = /^([^\p{Cc}\p{Zl}\p{Zp}<>"(),:;@[\\\]]{1,100}) <([^<> ]{3,320})>$/u;

/** The domain of an address in lower case; undefined of what is no address. */
export function domainOf(address: string): string | undefined {
  return ADDRESS.exec(address)?.[1]?.toLowerCase();
}

/** The address of a sender, with or without a name before it. */
export function addressOf(sender: string): string {
  return NAMED.exec(sender)?.[2] ?? sender;
}

/** Addresses are the same whose domains differ only in the case of letters. */
export function isSameAddress(one: string, other: string): boolean {
  return canonical(one) === canonical(other);
}

function canonical(address: string): string {
  const at = address.lastIndexOf('@');
  return address.slice(0, at) + address.slice(at).toLowerCase();
}
