"""`curate check`: is this recipe right, and what does it say?"""

from __future__ import annotations

from curation.commands.app import Overrides, RecipeName, command, console
from curation.recipe.load import load_recipe
from curation.recipe.tree import recipe_tree


@command("check")
def check(recipe: RecipeName, set: Overrides = []) -> None:  # noqa: B006
    """Check a recipe and print it as a tree, with a hash for each stage."""
    console.print(recipe_tree(load_recipe(recipe, set)))
