/* SPDX-License-Identifier: MIT */
/* Contacts that a run makes as it goes. Where the pairs of a block `contacts`
 * are too many to keep them one by one (IMP_CONTACTF_RULE), those whose bodies
 * come near get a contact of the run's own: the run has an image of its own
 * then (a copy, or the model's, see below), whose contacts are those of the
 * model, and behind them the contacts that were made. So rt_contact,
 * im->contacts.n and names are what they are everywhere; the number of contacts
 * grows, up to rt_contact_room, and a contact whose bodies are far from each
 * other may become that of another pair.
 *
 * Invariant: pairs are made in an order that the motion alone decides (I7). */
#ifndef IMP_RUNTIME_INSTANCE_CONTACT_TABLE_H
#define IMP_RUNTIME_INSTANCE_CONTACT_TABLE_H

#include "runtime/instance/run.h"

#define NO_CONTACT 0xffffffffu

/* Gives a run whose model has rules a table; others are left as they are. To be
 * called before anything of the run is made that counts contacts. */
void contact_table_new(struct rt *run);
/* How many bytes a run needs behind the image of such a model, else 0. An image
 * that lies in memory of its maker, with so much room (imp_image.room), is that
 * of the first run itself; other runs copy it. */
size_t contact_table_behind(const imp_image *im);
/* No contact has been made: to be called before each start. */
void contact_table_reset(struct rt *run);
/* How many contacts the model itself has. */
uint32_t contact_table_stated(const struct rt *run);
/* The contact of two bodies; NO_CONTACT: none was made so far. */
uint32_t contact_table_find(const struct rt *run, uint32_t one, uint32_t two);
/* May these bodies have a contact that is made? Not where the model states one,
 * where a joint connects them, or where no rule is of them. */
bool contact_table_wants(const struct rt *run, uint32_t one, uint32_t two);
/* Makes the contact of such a pair, which has none. NO_CONTACT: there is no
 * room. */
uint32_t contact_table_make(struct rt *run, uint32_t one, uint32_t two);
/* The bodies of a contact that was made are far from each other: it is not in
 * use, and may become that of another pair. */
void contact_table_drop(struct rt *run, uint32_t contact);
/* The contact of the model of whose block this one is: itself, unless it was
 * made. */
uint32_t contact_table_rule(const struct rt *run, uint32_t contact);
/* The same of two bodies that may have a contact that is made. */
uint32_t contact_table_rule_of(const struct rt *run, uint32_t one,
                               uint32_t two);
/* A number for a contact by which it is told, which no other pair has: that of
 * a contact of the model, or one from contact_table_stated on, less than
 * contact_table_told. Behind that: the pair of such a number. */
uint32_t contact_table_number(const struct rt *run, uint32_t contact);
/* The same for a pair that may have no contact: it gets a number now. */
uint32_t contact_table_number_of(struct rt *run, uint32_t one, uint32_t two);
/* So many pairs whose contacts were made are told one by one; more are summed
 * up by their blocks. */
#define CONTACT_PAIRS_TOLD 1000u
/* The number of a pair that is told by itself, or would be; NO_CONTACT: more
 * pairs have numbers, and this one may get none. */
uint32_t contact_table_early(struct rt *run, uint32_t one, uint32_t two);
uint32_t contact_table_told(const struct rt *run);
void contact_table_pair(const struct rt *run, uint32_t number,
                        uint32_t body[2]);
/* Counts up whenever a contact is made; when this one was made, 0: it is of the
 * model. */
unsigned long contact_table_serial(const struct rt *run);
unsigned long contact_table_made(const struct rt *run, uint32_t contact);
/* Which contact was made as this one of the last CONTACTS_LATEST. NO_CONTACT:
 * none that is still there. */
#define CONTACTS_LATEST 64
uint32_t contact_table_latest(const struct rt *run, unsigned long serial);

#endif
