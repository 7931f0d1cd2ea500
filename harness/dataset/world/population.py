"""Who and what there is, and how it hangs together."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence

from harness.dataset.world.dice import Dice
from harness.dataset.world.entity import Entity
from harness.dataset.world.names import WORDS, Names

SHARES = {
    "country": 8, "region": 24, "river": 40, "town": 200, "university": 40, "studio": 30, "publisher": 30, "label": 24,
    "museum": 24, "newspaper": 24, "club": 30, "award": 24, "festival": 40, "survey": 30, "film": 230, "novel": 170,
    "album": 120, "painting": 80, "opera": 50,
}  # fmt: skip
"""How many of each kind there are among 2000 passages; all others are people."""

OCCUPATIONS = {
    "film director": 13, "novelist": 13, "composer": 11, "singer": 11, "painter": 9, "politician": 12, "architect": 5,
    "industrialist": 8, "footballer": 7, "journalist": 5, "physicist": 3, "botanist": 3,
}  # fmt: skip
MONTHS = (
    "January", "February", "March", "April", "May", "June",
    "July", "August", "September", "October", "November", "December",
)  # fmt: skip
GENRES = {
    "film": ("drama", "comedy", "crime thriller", "war drama", "romance", "mystery", "adventure", "historical drama"),
    "novel": ("historical novel", "detective novel", "coming-of-age novel", "satirical novel", "epistolary novel"),
    "album": ("folk", "jazz", "pop", "rock", "electronic", "soul"),
    "painting": ("landscape", "portrait", "still life", "seascape", "interior scene"),
    "opera": ("comic", "tragic", "one-act", "three-act", "chamber"),
}
CREATORS = {
    "film": {"director": "film director", "composer": "composer"},
    "novel": {"author": "novelist"},
    "album": {"artist": "singer"},
    "painting": {"painter": "painter"},
    "opera": {"composer": "composer", "librettist": "novelist"},
}
HOUSES = {"film": "studio", "novel": "publisher", "album": "label", "painting": "museum"}
COMPANY_NAMES = {
    "studio": ("{0} Pictures", "{0} Film", "{0} Studios", "{1} Productions"),
    "publisher": ("{0} Press", "{1} & Sons", "{0} House", "{1} Verlag"),
    "label": ("{0} Records", "{1} Music", "{0} Sound"),
    "newspaper": ("{0} Gazette", "{0} Courier", "{0} Observer", "{0} Tribune"),
    "club": ("{0} United", "{0} Rovers", "{0} Athletic", "{0} Wanderers"),
    "museum": ("{0} Museum of Art", "{1} Gallery", "{0} Art Hall"),
    "university": ("University of {0}", "{1} University", "{0} Institute of Technology", "{0} Academy of Arts"),
}
FORMER_NAMES = {"university": ("{1} College", "{0} Seminary"), "studio": ("{1} Brothers",), "label": ("{1} Discs",)}


class Population:
    """All entities, by kind in the order of their making; a kind's first ones are its hubs."""

    def __init__(self, passages: int, seed: int) -> None:
        self.dice = Dice(seed, "population")
        self.names = Names(Dice(seed, "names"))
        self.by_kind: dict[str, list[Entity]] = defaultdict(list)
        self.by_occupation: dict[str, list[Entity]] = defaultdict(list)
        counts = {kind: max(2, passages * share // 2000) for kind, share in SHARES.items()}
        self._places(counts)
        self._people(passages - sum(counts.values()))
        self._organisations(counts)
        self._lives()
        self._works(counts)
        self._arts(counts)
        self._titles()

    @property
    def entities(self) -> list[Entity]:
        """All of them."""
        return [entity for kind in self.by_kind.values() for entity in kind]

    def _add(self, kind: str, name: str, **facts: object) -> Entity:
        entity = Entity(kind, name, facts=facts)
        self.by_kind[kind].append(entity)
        return entity

    def _places(self, counts: dict[str, int]) -> None:
        dice, names = self.dice, self.names
        for _ in range(counts["country"]):
            name = names.fresh(names.word, "country_ends", 0.2)
            self._add("country", name, adjective=_adjective(name), founded=str(dice.between(1790, 1925)))
        for _ in range(counts["region"]):
            name = names.fresh(names.word, "region_ends", 0.2)
            self._add("region", name, country=dice.pick(self.by_kind["country"]), area=f"{dice.between(900, 9800):,}")
        for _ in range(counts["river"]):
            name = names.fresh(names.word, "river_ends", 0.3)
            length = f"{dice.between(40, 880)} kilometres"
            self._add("river", name, source=dice.pick(self.by_kind["region"]), length=length)
        for _ in range(counts["town"]):
            region = dice.pick(self.by_kind["region"])
            town = self._add("town", names.town(), region=region, country=region.facts["country"])
            town.facts |= {
                "river": dice.pick(self.by_kind["river"]),
                "population": f"{dice.between(3, 940)},{dice.between(100, 999)}",
                "chartered": str(dice.between(1120, 1790)),
                "theme": dice.pick(WORDS["trades"]),
            }
            if dice.chance(0.2):
                town.aliases.append(names.town())
        for country in self.by_kind["country"]:
            inside = [town for town in self.by_kind["town"] if town.facts["country"] is country]
            country.facts["capital"] = (inside or self.by_kind["town"])[0]
        for region in self.by_kind["region"]:
            inside = [town for town in self.by_kind["town"] if town.facts["region"] is region]
            region.facts["capital"] = (inside or self.by_kind["town"])[0]

    def _people(self, count: int) -> None:
        dice, names = self.dice, self.names
        drawn = [name for name, weight in OCCUPATIONS.items() for _ in range(weight)]
        for number in range(count):
            woman = dice.chance(0.5)
            name = names.fresh(names.person, woman)
            occupation = drawn[number % len(drawn)]
            birth = dice.between(1880, 1985)
            facts = {
                "occupation": occupation,
                "woman": woman,
                "born": self._date(birth),
                "year": birth,
                "theme": dice.pick(WORDS["themes"]),
            }
            person = self._add("person", name, **facts)
            self.by_occupation[occupation].append(person)
            if dice.chance(0.07):
                other = dice.pick(self.by_kind["person"])
                if other.facts["woman"] == woman and other.facts["occupation"] != occupation:
                    person.name = other.name
            if dice.chance(0.22):
                person.aliases.append(names.fresh(names.pen_name, person.name, woman))

    def _organisations(self, counts: dict[str, int]) -> None:
        dice, names = self.dice, self.names
        for kind, patterns in COMPANY_NAMES.items():
            for _ in range(counts[kind]):
                town = dice.skewed(self.by_kind["town"])
                name = names.fresh(self._company, patterns)
                founder = dice.pick(self.by_occupation["architect" if kind == "museum" else "industrialist"])
                founded = str(founder.facts["year"] + dice.between(25, 45))
                theme = dice.pick(WORDS["fields" if kind == "university" else "themes"])
                self._add(kind, name, town=town, founded=founded, founder=founder, theme=theme)
                if kind in FORMER_NAMES and dice.chance(0.3):
                    self.by_kind[kind][-1].aliases.append(names.fresh(self._company, FORMER_NAMES[kind]))
        for _ in range(counts["award"]):
            person = dice.pick(self.by_kind["person"])
            name = names.fresh(self._one_of, [f"{person.name} {word}" for word in ("Prize", "Medal", "Award")])
            first = str(dice.between(max(1900, person.facts["year"] + 30), 2018))
            self._add("award", name, honours=person, founded=first, body=dice.pick(self.by_kind["university"]))

    def _company(self, patterns: Sequence[str]) -> str:
        return self.dice.pick(patterns).format(self.dice.skewed(self.by_kind["town"]).name, self.names.surname())

    def _one_of(self, names: Sequence[str]) -> str:
        return self.dice.pick(names)

    def _lives(self) -> None:
        dice, towns = self.dice, self.by_kind["town"]
        people = self.by_kind["person"]
        for person in people:
            facts = person.facts
            facts["birthplace"] = dice.skewed(towns) if dice.chance(0.35) else dice.pick(towns)
            facts["country"] = facts["birthplace"].facts["country"]
            facts["alma_mater"] = dice.skewed(self.by_kind["university"])
            if facts["year"] < 1945:
                facts["deathplace"] = dice.skewed(towns) if dice.chance(0.5) else dice.pick(towns)
                facts["died"] = self._date(facts["year"] + dice.between(41, 75))
            if dice.chance(0.4):
                facts["award"] = dice.skewed(self.by_kind["award"])
            if facts["occupation"] == "footballer":
                facts["club"] = dice.pick(self.by_kind["club"])
            if facts["occupation"] == "journalist":
                facts["newspaper"] = dice.pick(self.by_kind["newspaper"])
            if "spouse" not in facts and dice.chance(0.3):
                other = dice.pick(people)
                if (
                    other is not person
                    and "spouse" not in other.facts
                    and abs(other.facts["year"] - facts["year"]) < 16
                ):
                    facts["spouse"], other.facts["spouse"] = other, person
            for fact in ("birthplace", "alma_mater", "award", "club", "newspaper"):
                if fact in facts:
                    _know(facts[fact], person)
        living = [person for person in self.by_occupation["politician"] if "died" not in person.facts]
        for town in towns:
            town.facts["mayor"] = dice.pick(living or self.by_occupation["politician"])

    def _works(self, counts: dict[str, int]) -> None:
        dice = self.dice
        for kind in ("novel", "opera", "film", "album", "painting"):
            for _ in range(counts[kind]):
                work = self._add(kind, self._work_name(), genre=dice.pick(GENRES[kind]))
                facts = work.facts
                for role, occupation in CREATORS[kind].items():
                    people = self.by_occupation[occupation]
                    facts[role] = dice.skewed(people) if dice.chance(0.3) else dice.pick(people)
                    _know(facts[role], work)
                creator = facts[next(iter(CREATORS[kind]))]
                facts["country"] = creator.facts["country"]
                facts["theme"] = creator.facts["theme"] if dice.chance(0.9) else dice.pick(WORDS["themes"])
                facts["year"] = str(min(2023, creator.facts["year"] + dice.between(22, 40)))
                if kind in HOUSES:
                    facts["house"] = dice.pick(self.by_kind[HOUSES[kind]])
                    _know(facts["house"], work)
                if kind == "film" and dice.chance(0.4):
                    facts["novel"] = dice.pick(self.by_kind["novel"])
                if kind in ("film", "opera", "painting"):
                    facts["setting"] = dice.pick(self.by_kind["town"])

    def _work_name(self) -> str:
        """A new title; or, sometimes, that of another work, or one that is close to it."""
        dice, names = self.dice, self.names
        works = [work for kind in GENRES for work in self.by_kind[kind][-40:]]
        if works and dice.chance(0.1):
            return dice.pick(works).name
        if works and dice.chance(0.1):
            name = dice.pick(works).name.removeprefix("The ").removeprefix("A ")
            return names.fresh(self._one_of, [f"Return to {name}", f"The Other {name}", f"After {name}"])
        place, person = dice.pick(self.by_kind["town"]).name, dice.pick(self.by_kind["person"]).name.split()[0]
        return names.fresh(names.work, place, person)

    def _arts(self, counts: dict[str, int]) -> None:
        dice, names = self.dice, self.names
        arts = ("Film", "Literature", "Music", "Painting", "Opera")
        for _ in range(counts["festival"]):
            town, art = dice.skewed(self.by_kind["town"]), dice.pick(arts)
            name = names.fresh(self._company, [f"{{0}} {art} Festival", f"{{0}} {art} Week", f"{{0}} {art} Days"])
            self._add("festival", name, town=town, art=art.lower(), founded=str(dice.between(1925, 2005)))
        for number in range(counts["survey"]):
            country, art = self.by_kind["country"][number // 5 % counts["country"]], arts[number % 5]
            name = names.fresh(self._one_of, [f"{art} in {country.name}"])
            self._add("survey", name, country=country, art=art.lower())

    def _titles(self) -> None:
        """A passage's title is the entity's name; homonyms are told apart as an encyclopedia does it."""
        alike: dict[str, list[Entity]] = defaultdict(list)
        for entity in self.entities:
            alike[entity.name].append(entity)
        for name, group in alike.items():
            words = [_word(entity) for entity in group]
            shared = Counter(words)
            for entity, word in zip(group, words, strict=True):
                exact = f"{entity.facts.get('year', '')} {word}" if entity.kind != "person" else word
                entity.title = name if len(group) == 1 else f"{name} ({word if shared[word] == 1 else exact})"
        _number(self.entities)

    def _date(self, year: int) -> str:
        return f"{self.dice.between(1, 28)} {self.dice.pick(MONTHS)} {year}"


def _know(entity: Entity, other: Entity) -> None:
    """``entity`` is known for ``other``: a person for works, a town for natives, ..."""
    entity.facts.setdefault("known", []).append(other)


def _number(entities: Sequence[Entity]) -> None:
    """Tell the last namesakes apart: ``(1987 film)``, ``(1987 film, 2)``."""
    seen: Counter[str] = Counter()
    for entity in entities:
        seen[entity.title] += 1
        if seen[entity.title] > 1:
            entity.title = f"{entity.title.removesuffix(')')}, {seen[entity.title]})"


def _word(entity: Entity) -> str:
    return str(entity.facts["occupation"]) if entity.kind == "person" else entity.kind


def _adjective(country: str) -> str:
    """``Veldonia``: ``Veldonian``; ``Karsland``: ``Karslandic``."""
    endings = {"a": "n", "land": "ic", "mark": "ish", "istan": "i"}
    return country + next(ending for last, ending in endings.items() if country.endswith(last))
