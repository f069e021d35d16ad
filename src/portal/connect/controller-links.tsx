import type { LinkView } from "../../accounts/links.js";
import { LINK_SCOPES } from "../../core/domain/link-scopes.js";
import { textsOf } from "../../texts/index.js";
import type { PageContext } from "../context.js";
import { Form, Notice, SelectField, SubmitButton, TextField } from "../ui/form.js";
import { CONNECT_PATH } from "./path.js";

interface ControllerLinksProps {
  context: PageContext;
  links: readonly LinkView[];
  /** The full address of a link that was just made. */
  made: string | undefined;
  errors: Readonly<Record<string, string>>;
  typed: { label: string; scope: string };
}

/** Links for controllers: what there is, a new one, and the address of a new one, shown once. */
export function ControllerLinks({ context, links, made, errors, typed }: ControllerLinksProps) {
  const texts = textsOf(context.language).connect.links;
  const day = new Intl.DateTimeFormat(textsOf(context.language).format.locale, { dateStyle: "medium" });
  const scopes = LINK_SCOPES.map((value) => ({ value, label: texts.scopes[value] }));
  return (
    <section class="card" id="links" aria-labelledby="links-title">
      <h2 id="links-title">{texts.title}</h2>
      <p class="hint">{texts.intro}</p>
      {made !== undefined && (
        <Notice kind="success">
          <p>{texts.shownOnce}</p>
          <code class="secret">{made}</code>
        </Notice>
      )}
      {links.length > 0 && (
        <ul class="links">
          {links.map((link) => (
            <li key={link.id}>
              <strong>{link.label === "" ? link.prefix : link.label}</strong>
              {` · ${texts.scopes[link.scope]} · ${texts.start} ${link.prefix} · ${texts.made} ${day.format(link.createdAt)}`}
              {link.revokedAt !== undefined ? (
                ` · ${texts.revoked}`
              ) : (
                <Form context={context} action={`${CONNECT_PATH}/links/revoke`} class="inline">
                  <input type="hidden" name="id" value={link.id} />
                  <SubmitButton kind="danger">
                    {texts.revoke}
                    <span class="visually-hidden">{` ${link.label}`}</span>
                  </SubmitButton>
                </Form>
              )}
            </li>
          ))}
        </ul>
      )}
      <details open={Object.keys(errors).length > 0}>
        <summary>{texts.create}</summary>
        <Form context={context} action={`${CONNECT_PATH}/links`} label={texts.create}>
          <div class="fields">
            <TextField
              scope="link"
              name="label"
              label={texts.label}
              maxLength={80}
              value={typed.label}
              error={errors.label}
              autocomplete="off"
            />
            <SelectField
              scope="link"
              name="scope"
              label={texts.scope}
              value={typed.scope}
              options={scopes}
              error={errors.scope}
            />
          </div>
          <SubmitButton>{texts.create}</SubmitButton>
        </Form>
      </details>
    </section>
  );
}
