import type { Services } from "../api/services.js";
import type { Foundation } from "./foundation.js";

/** The accounts for HTTP: each access with a valid key is noted as its use. */
export function accountsWithUses({ accounts, uses }: Foundation): Services["accounts"] {
  return {
    site: (id) => accounts.site(id),
    access: (key) => {
      const access = accounts.access(key);
      if (access.keyId !== undefined && access.site !== undefined) uses.note(access.site.id, access.keyId);
      return access;
    },
  };
}

/** The controller links: each access is noted as use of the link. */
export function linksWithUses({ accountServices: { links }, uses }: Foundation): Pick<typeof links, "find"> {
  return {
    find: (token) => {
      const link = links.find(token);
      if (link !== undefined) uses.note(link.siteId, link.id);
      return link;
    },
  };
}
